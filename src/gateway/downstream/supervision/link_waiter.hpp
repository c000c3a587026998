#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "downstream/link.hpp"
#include "downstream/supervision/agent_link_table.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// A link to use for one call.
struct LinkGrant {
    std::shared_ptr<Link> link = {};
    std::unique_ptr<AgentLinkUse> use = {};  ///< Null for the shared link.
};

using LinkOutcome = resilience::Result<LinkGrant, CallFault>;

/// A call that waits for a link, on its own loop. Owned by the call alone. Those who finish it hold
/// a weak pointer, so that calls that have ended cost nothing.
///
/// Thread-safety: `finish` from any thread; all else on its loop.
class LinkWaiter final : public std::enable_shared_from_this<LinkWaiter> {
public:
    /// `agent_headers` may be null; a link opened for this call uses them.
    explicit LinkWaiter(net::OwningLoop loop,
                        std::shared_ptr<const AgentHeaders> agent_headers = nullptr,
                        ConnectionWait connection_wait = ConnectionWait::first_try)
        : loop_(std::move(loop)),
          agent_headers_(std::move(agent_headers)),
          connection_wait_(connection_wait),
          done_(*loop_.timekeeper) {}

    [[nodiscard]] const std::shared_ptr<const AgentHeaders>& agent_headers() const noexcept {
        return agent_headers_;
    }

    [[nodiscard]] ConnectionWait connection_wait() const noexcept { return connection_wait_; }

    /// Only the first outcome counts.
    void finish(LinkOutcome outcome);

    /// Returns the outcome, or a fault if the deadline expired or the call was cancelled.
    [[nodiscard]] boost::asio::awaitable<LinkOutcome> wait(resilience::Deadline deadline);

private:
    const net::OwningLoop loop_;
    const std::shared_ptr<const AgentHeaders> agent_headers_;
    const ConnectionWait connection_wait_;
    resilience::OneShot done_;            // owned by the loop
    std::optional<LinkOutcome> outcome_;  // owned by the loop
};

}  // namespace holdfast::downstream
