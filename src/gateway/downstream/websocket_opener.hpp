#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <utility>

#include "downstream/link_opener.hpp"
#include "net/websocket_client.hpp"

namespace holdfast::downstream {

struct WebSocketOpenerOptions {
    net::WebSocketTarget target = {};
    net::WebSocketOptions socket = {};
    LinkOptions link = {};
};

/// Dials a downstream anew for each link, with the credentials of whom the link is for. They go
/// with the request for the upgrade, so a link keeps those that it was opened with. Where an agent
/// lacks a required one, nothing is dialled. The gateway's own link has those that are the same for
/// all; whether that is enough for the lists is the server's to say.
///
/// Thread-safety: as `LinkOpener`.
class WebSocketOpener final : public LinkOpener {
public:
    explicit WebSocketOpener(WebSocketOpenerOptions options) : options_(std::move(options)) {}

    [[nodiscard]] boost::asio::awaitable<resilience::Result<std::shared_ptr<Link>, CallFault>> open(
        net::OwningLoop home, LinkPurpose purpose, std::weak_ptr<LinkListener> listener,
        resilience::Deadline deadline) override;

private:
    const WebSocketOpenerOptions options_;
};

}  // namespace holdfast::downstream
