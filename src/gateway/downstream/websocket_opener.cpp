#include "downstream/websocket_opener.hpp"

#include "downstream/stream_opener.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using Opened = resilience::Result<std::shared_ptr<Link>, CallFault>;

asio::awaitable<Opened> refuse(CallFault fault) {
    co_return fault;
}

/// Connects to the target once for each channel.
ChannelSource make_websocket_source(net::WebSocketTarget target, net::WebSocketOptions options) {
    return [target = std::move(target), options = std::move(options)](
               net::OwningLoop loop, resilience::Deadline deadline) {
        return net::open_websocket(std::move(loop), target, options, deadline);
    };
}

asio::awaitable<Opened> dial(WebSocketOpenerOptions options, net::OwningLoop home,
                             LinkPurpose purpose, std::weak_ptr<LinkListener> listener,
                             resilience::Deadline deadline) {
    StreamOpener opener{make_websocket_source(std::move(options.target), std::move(options.socket)),
                        {.link = {.link = std::move(options.link)}}};
    co_return co_await opener.open(std::move(home), std::move(purpose), std::move(listener),
                                   deadline);
}

}  // namespace

asio::awaitable<Opened> WebSocketOpener::open(net::OwningLoop home, LinkPurpose purpose,
                                              std::weak_ptr<LinkListener> listener,
                                              resilience::Deadline deadline) {
    auto credentials = credential_lines(options_.link.credentials, purpose.agent_headers.get());
    const bool is_for_agent = !purpose.client_info.empty();
    if (!credentials && is_for_agent) {
        return refuse({.kind = CallFault::Kind::unauthorized,
                       .message = std::move(credentials).error().message,
                       .delivery = resilience::Delivery::not_sent});
    }
    WebSocketOpenerOptions options = options_;
    if (credentials) {
        options.target.headers += credentials->lines;
    }
    return dial(std::move(options), std::move(home), std::move(purpose), std::move(listener),
                deadline);
}

}  // namespace holdfast::downstream
