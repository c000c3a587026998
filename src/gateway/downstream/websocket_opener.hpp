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

/// Dials the downstream once per link, with the credentials of the link's agent. They are part of
/// the upgrade request, so a link keeps the credentials it was opened with. If an agent lacks a
/// required credential, the opener does not dial. The gateway's own link uses the credentials that
/// all agents share; the server decides whether they suffice for the lists.
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
