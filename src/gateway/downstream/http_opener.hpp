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

/// The HTTP transport that a server is expected to speak.
enum class HttpTransport : std::uint8_t {
    automatic,   ///< Streamable HTTP, else the old transport if the server lacks it.
    streamable,  ///< Streamable HTTP only.
    sse,         ///< The old transport with two endpoints only.
};

struct HttpOpenerOptions {
    net::HttpUrl url = {};
    HttpTransport transport = HttpTransport::automatic;
    LinkOptions link = {};
    HttpLinkOptions http = {};
    /// Limit for long-lived streams over all links. They do not count as connections of calls.
    std::size_t max_streams = 1'024;
};

/// Opens links to one server over HTTP. Determines the era with `server/discover` unless it is
/// known, runs the handshake with a legacy server, and falls back to the old transport if the
/// server does not understand `initialize`. All links share the client and its connections.
///
/// Thread-safety: as `LinkOpener`.
class HttpOpener final : public LinkOpener {
public:
    /// Both clients must be for the origin of the URL; `stream_client` is for long-lived streams.
    HttpOpener(std::shared_ptr<net::HttpClient> client,
               std::shared_ptr<net::HttpClient> stream_client, HttpOpenerOptions options);

    [[nodiscard]] boost::asio::awaitable<resilience::Result<std::shared_ptr<Link>, CallFault>> open(
        net::OwningLoop home, LinkPurpose purpose, std::weak_ptr<LinkListener> listener,
        resilience::Deadline deadline) override;

private:
    const std::shared_ptr<net::HttpClient> client_;
    const std::shared_ptr<net::HttpClient> stream_client_;
    // Shared with running attempts to open a link.
    const std::shared_ptr<const HttpOpenerOptions> options_;
};

/// Makes an opener with its own clients. Fails if a certificate file is unusable.
[[nodiscard]] net::NetResult<std::unique_ptr<LinkOpener>> make_http_opener(
    HttpOpenerOptions options, const net::HttpClientOptions& client_options);

}  // namespace holdfast::downstream
