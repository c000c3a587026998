#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "downstream/http_link_options.hpp"
#include "downstream/link.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

class HttpLinkState;
class HttpListening;
class HttpSubscriptions;

/// A link over Streamable HTTP after the handshake, in either era. Every call is an exchange of its
/// own on the caller's loop, so a call may outlive the link and ends by its answer or deadline. The
/// session is lost when the server no longer knows it.
///
/// Thread-safety: as `Link`; made on the home loop, destroyed on any.
class HttpLink final : public Link {
public:
    HttpLink(net::OwningLoop home, HttpLinkDeps parts, std::weak_ptr<LinkListener> listener);
    /// Ends the streams without notifying anyone or ending the session; see `close`.
    ~HttpLink() override;

    /// Waits until it is known whether the session has its own stream, or until the deadline. The
    /// first call must wait for this: questions that a server sends before the stream is open are
    /// lost.
    [[nodiscard]] boost::asio::awaitable<void> wait_for_stream(resilience::Deadline deadline);

    [[nodiscard]] const Negotiated& negotiated() const override;
    [[nodiscard]] boost::asio::awaitable<CallResult> call(
        net::OwningLoop caller, Request request, std::shared_ptr<CallListener> listener) override;
    [[nodiscard]] std::shared_ptr<StartedCall> try_start(
        const net::OwningLoop& caller, const Request& request,
        const std::shared_ptr<CallObserver>& observer) override;
    void notify(std::string_view method, std::string params) override;
    void set_interests(Interests interests) override;
    void set_tool_headers(const std::shared_ptr<const ToolHeaderTable>& table) override;
    [[nodiscard]] boost::asio::awaitable<void> close(CallFault why) override;

private:
    const std::shared_ptr<HttpLinkState> state_;
    const std::shared_ptr<HttpListening> listening_;          // modern links only
    const std::shared_ptr<HttpSubscriptions> subscriptions_;  // legacy links only
};

}  // namespace holdfast::downstream
