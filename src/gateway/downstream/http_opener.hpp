#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "downstream/http_link_options.hpp"
#include "downstream/link_opener.hpp"
#include "net/http_client.hpp"
#include "net/net_error.hpp"

namespace holdfast::downstream {

/// Which of the two HTTP transports a server is taken to speak.
enum class HttpTransport : std::uint8_t {
    automatic,   ///< Streamable HTTP, and the old one if the server does not know it.
    streamable,  ///< Streamable HTTP only.
    sse,         ///< The old one with two endpoints only.
};

struct HttpOpenerOptions {
    net::HttpUrl url = {};
    HttpTransport transport = HttpTransport::automatic;
    LinkOptions link = {};
    HttpLinkOptions http = {};
    /// Streams that stay open as long as their links, over all links. They do not count as
    /// connections of the calls.
    std::size_t max_streams = 1'024;
};

/// Opens links to one server over HTTP. Asks `server/discover` to find out the era unless that is
/// known, shakes hands with a legacy server, and turns to the old transport where `initialize` is
/// not understood at all. All links share the client, and so its connections.
///
/// Thread-safety: as `LinkOpener`.
class HttpOpener final : public LinkOpener {
public:
    /// Both clients are for the origin of the URL; the second is for streams that stay open.
    HttpOpener(std::shared_ptr<net::HttpClient> client,
               std::shared_ptr<net::HttpClient> stream_client, HttpOpenerOptions options);

    [[nodiscard]] boost::asio::awaitable<resilience::Result<std::shared_ptr<Link>, CallFault>> open(
        net::OwningLoop home, LinkPurpose purpose, std::weak_ptr<LinkListener> listener,
        resilience::Deadline deadline) override;

private:
    const std::shared_ptr<net::HttpClient> client_;
    const std::shared_ptr<net::HttpClient> stream_client_;
    // Shared with the opening that is under way.
    const std::shared_ptr<const HttpOpenerOptions> options_;
};

/// With clients of its own. Fails if a certificate file cannot be used.
[[nodiscard]] net::NetResult<std::unique_ptr<LinkOpener>> make_http_opener(
    HttpOpenerOptions options, const net::HttpClientOptions& client_options);

}  // namespace holdfast::downstream
