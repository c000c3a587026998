#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "downstream/link_opener.hpp"
#include "net/http_client.hpp"
#include "net/net_error.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

class RestBackend;

/// Opens links to an HTTP API. There is nothing to connect to and nobody to shake hands with: a
/// link is there at once, its tools are those of the config, and whether the backend answers is a
/// matter of each call.
///
/// Thread-safety: as `LinkOpener`.
class RestOpener final : public downstream::LinkOpener {
public:
    /// The client is for the origin of the API. `warn` takes sentences for the operator, from any
    /// thread; it may be empty.
    RestOpener(RestApi api, std::shared_ptr<net::HttpClient> client,
               std::function<void(const std::string&)> warn = {});

    [[nodiscard]] boost::asio::awaitable<
        resilience::Result<std::shared_ptr<downstream::Link>, downstream::CallFault>>
    open(net::OwningLoop home, downstream::LinkPurpose purpose,
         std::weak_ptr<downstream::LinkListener> listener, resilience::Deadline deadline) override;

private:
    const std::shared_ptr<const RestBackend> backend_;  // shared with the links
};

/// With a client of its own, within the limits of the API. Fails if there can be none.
[[nodiscard]] net::NetResult<std::unique_ptr<downstream::LinkOpener>> make_rest_opener(
    RestApi api, std::function<void(const std::string&)> warn = {});

}  // namespace holdfast::rest
