#include "downstream/http_opener.hpp"

#include <utility>

#include "downstream/http/http_handshake.hpp"
#include "downstream/http_link.hpp"
#include "downstream/sse_channel.hpp"
#include "downstream/stream_opener.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using Opened = resilience::Result<std::shared_ptr<Link>, CallFault>;
using Handshake = std::shared_ptr<const HttpHandshake>;

// Omits missing credentials: the server may not need them for the handshake, and complains if it
// does.
std::string headers_for(const LinkOptions& options, const LinkPurpose& purpose) {
    const auto credentials = credential_lines(options.credentials, purpose.agent_headers.get());
    return credentials ? options.headers + credentials->lines : options.headers;
}

asio::awaitable<Opened> open_old_transport(Handshake handshake,
                                           std::weak_ptr<LinkListener> listener) {
    const HttpOpenerOptions& options = *handshake->options;
    const SseTarget target{
        .client = handshake->stream_client, .url = options.url, .headers = handshake->headers};
    StreamOpener opener{
        make_sse_source(target, {.max_message_bytes = options.link.max_message_bytes}),
        {.link = {.link = options.link}, .is_always_legacy = true}};
    co_return co_await opener.open(handshake->home, handshake->purpose, std::move(listener),
                                   handshake->deadline);
}

asio::awaitable<Opened> open_link(Handshake handshake, std::weak_ptr<LinkListener> listener) {
    const HttpOpenerOptions& options = *handshake->options;
    if (options.transport == HttpTransport::sse) {
        co_return co_await open_old_transport(handshake, std::move(listener));
    }
    auto agreement = co_await agree(handshake);
    if (!agreement) {
        HandshakeFault fault = std::move(agreement).error();
        if (fault.may_be_old_transport && options.transport == HttpTransport::automatic) {
            auto opened = co_await open_old_transport(handshake, std::move(listener));
            if (opened) {
                co_return opened;
            }
        }
        // Also if both transports failed: servers are expected to speak the newer one.
        co_return std::move(fault.fault);
    }
    HttpLinkDeps parts{.client = handshake->client,
                       .stream_client = handshake->stream_client,
                       .target = options.url.target,
                       .session_id = std::move(agreement->session_id),
                       .negotiated = std::move(agreement->negotiated),
                       .own_headers = handshake->headers,
                       .options = options.link,
                       .http = options.http};
    if (!handshake->purpose.client_info.empty()) {
        parts.options.client_info = handshake->purpose.client_info;
    }
    const auto link =
        std::make_shared<HttpLink>(handshake->home, std::move(parts), std::move(listener));
    co_await link->wait_for_stream(
        handshake->deadline.tightened(handshake->home.timekeeper->now(), options.http.stream_wait));
    co_return link;
}

}  // namespace

HttpOpener::HttpOpener(std::shared_ptr<net::HttpClient> client,
                       std::shared_ptr<net::HttpClient> stream_client, HttpOpenerOptions options)
    : client_(std::move(client)),
      stream_client_(std::move(stream_client)),
      options_(std::make_shared<const HttpOpenerOptions>(std::move(options))) {}

asio::awaitable<Opened> HttpOpener::open(net::OwningLoop home, LinkPurpose purpose,
                                         std::weak_ptr<LinkListener> listener,
                                         resilience::Deadline deadline) {
    std::string headers = headers_for(options_->link, purpose);
    auto handshake =
        std::make_shared<const HttpHandshake>(HttpHandshake{.client = client_,
                                                            .stream_client = stream_client_,
                                                            .options = options_,
                                                            .home = std::move(home),
                                                            .purpose = std::move(purpose),
                                                            .headers = std::move(headers),
                                                            .deadline = deadline});
    return open_link(std::move(handshake), std::move(listener));
}

net::NetResult<std::unique_ptr<LinkOpener>> make_http_opener(
    HttpOpenerOptions options, const net::HttpClientOptions& client_options) {
    net::HttpClientOptions stream_options = client_options;
    stream_options.max_connections = options.max_streams;
    auto client = net::make_http_client(options.url, client_options);
    if (!client) {
        return std::move(client).error();
    }
    auto stream_client = net::make_http_client(options.url, stream_options);
    if (!stream_client) {
        return std::move(stream_client).error();
    }
    return std::unique_ptr<LinkOpener>{std::make_unique<HttpOpener>(
        std::move(*client), std::move(*stream_client), std::move(options))};
}

}  // namespace holdfast::downstream
