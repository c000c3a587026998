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

/// Opens links to an HTTP API. An API needs neither a connection nor a handshake: a link is
/// available at once, and its tools come from the config. Whether the backend answers shows in each
/// call.
///
/// Thread-safety: as `LinkOpener`.
class RestOpener final : public downstream::LinkOpener {
public:
    /// `client` must be for the origin of the API. `warn` receives sentences for the operator, from
    /// any thread; it may be empty.
    RestOpener(RestApi api, std::shared_ptr<net::HttpClient> client,
               std::function<void(const std::string&)> warn = {});

    [[nodiscard]] boost::asio::awaitable<
        resilience::Result<std::shared_ptr<downstream::Link>, downstream::CallFault>>
    open(net::OwningLoop home, downstream::LinkPurpose purpose,
         std::weak_ptr<downstream::LinkListener> listener, resilience::Deadline deadline) override;

private:
    const std::shared_ptr<const RestBackend> backend_;  // shared with the links
};

/// Makes an opener with its own client, within the limits of the API. Fails if no client can be
/// made.
[[nodiscard]] net::NetResult<std::unique_ptr<downstream::LinkOpener>> make_rest_opener(
    RestApi api, std::function<void(const std::string&)> warn = {});

}  // namespace holdfast::rest
