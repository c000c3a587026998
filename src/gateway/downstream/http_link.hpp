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

/// A link over Streamable HTTP, after the handshake, in either era. Every call is an exchange of
/// its own on the caller's loop, so a call outlives the link and ends by its own answer or
/// deadline. Its session is lost when the server says that it does not know it.
///
/// Thread-safety: as `Link`; made on the home loop, destroyed on any.
class HttpLink final : public Link {
public:
    HttpLink(net::OwningLoop home, HttpLinkDeps parts, std::weak_ptr<LinkListener> listener);
    /// Ends its streams, tells nobody and gives no session back; see `close`.
    ~HttpLink() override;

    /// Until it is known whether the session has a stream of its own, or the deadline. What a
    /// server asks on that stream before it is open is lost, so the first call waits for this.
    [[nodiscard]] boost::asio::awaitable<void> wait_for_stream(resilience::Deadline deadline);

    [[nodiscard]] const Negotiated& negotiated() const override;
    [[nodiscard]] boost::asio::awaitable<CallResult> call(
        net::OwningLoop caller, Request request, std::shared_ptr<CallListener> listener) override;
    void notify(std::string_view method, std::string params) override;
    void set_interests(Interests interests) override;
    void set_tool_headers(const std::shared_ptr<const ToolHeaderTable>& table) override;
    [[nodiscard]] boost::asio::awaitable<void> close(CallFault why) override;

private:
    const std::shared_ptr<HttpLinkState> state_;
    const std::shared_ptr<HttpListening> listening_;          // of a modern link
    const std::shared_ptr<HttpSubscriptions> subscriptions_;  // of a legacy link
};

}  // namespace holdfast::downstream
