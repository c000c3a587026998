#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "downstream/downstream_options.hpp"
#include "downstream/link_opener.hpp"
#include "downstream/request.hpp"
#include "downstream/supervision/agent_link_table.hpp"
#include "downstream/supervision/link_events.hpp"
#include "downstream/supervision/link_preferences.hpp"
#include "downstream/supervision/link_waiter.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// Notified when per-agent links open or close.
class AgentLinksOwner : public LinkOwner {
public:
    virtual void on_agent_link_opened(const std::string& agent_key) = 0;
    virtual void on_agent_link_closed(const std::string& agent_key) = 0;
    /// A legacy leg did not open. Returns what its calls get instead.
    [[nodiscard]] virtual LinkOutcome on_legacy_leg_failed(const CallFault& why) = 0;
};

/// How a link of an agent is opened.
struct AgentLinkPlan {
    std::optional<mcp::Era> era = std::nullopt;  ///< If known.
    bool is_era_required = false;
    bool is_legacy_leg = false;
};

/// The links of a downstream with one session per agent. A link opens when its agent first calls.
/// It closes when the agent disconnects, has been idle for long, or when another agent needs the
/// slot.
///
/// Thread-safety: `try_use` and `size` from any thread; all else on the home loop.
class AgentLinks final : public std::enable_shared_from_this<AgentLinks>,
                         private resilience::Timer {
public:
    AgentLinks(net::OwningLoop home, std::shared_ptr<LinkOpener> opener,
               const DownstreamOptions& options);
    ~AgentLinks() override;

    void set_owner(std::weak_ptr<AgentLinksOwner> owner) { owner_ = std::move(owner); }

    /// Returns the agent's link if it is open.
    [[nodiscard]] std::optional<LinkGrant> try_use(const std::string& agent_key,
                                                   resilience::TimePoint now);
    /// Like `try_use`, but opens a link if necessary; calls of one agent wait for the same link.
    void join(const AgentIdentity& agent, const std::shared_ptr<LinkWaiter>& waiter,
              const AgentLinkPlan& plan);

    /// Returns null if the agent has no link.
    [[nodiscard]] std::shared_ptr<Link> find(const std::string& agent_key) const;
    void tune(const std::string& agent_key, Interests interests, std::string level);
    void on_lost(const LinkEvents& from);
    /// Closes the agent's link in the background.
    void end_agent(const std::string& agent_key);
    /// Cancels pending openings, and returns the open links for closing.
    [[nodiscard]] std::vector<std::shared_ptr<Link>> take_all(const CallFault& why);
    /// Opens no more links.
    void shut() noexcept { is_over_ = true; }

    [[nodiscard]] std::size_t size() const;

private:
    struct Opening {
        std::shared_ptr<LinkEvents> ear = {};
        std::vector<std::weak_ptr<LinkWaiter>> waiters = {};
        boost::asio::cancellation_signal cancel = {};
        bool is_legacy_leg = false;
    };
    struct Attached {
        std::shared_ptr<LinkEvents> ear = {};
        std::shared_ptr<LinkPreferences> tuner = {};
    };
    using Opened = resilience::Result<std::shared_ptr<Link>, CallFault>;

    static boost::asio::awaitable<void> open(std::shared_ptr<AgentLinks> self,
                                             std::shared_ptr<Opening> opening, LinkPurpose purpose);
    void start_opening(const AgentIdentity& agent, const std::shared_ptr<LinkWaiter>& waiter,
                       const AgentLinkPlan& plan);
    void finish_opening(const std::shared_ptr<Opening>& opening, Opened opened);
    void adopt(const std::shared_ptr<Opening>& opening, const std::shared_ptr<Link>& link);
    void fail(const Opening& opening, const CallFault& why);
    void cancel(const std::shared_ptr<Opening>& opening) const;
    [[nodiscard]] bool has_slot_or_evicts();
    void detach(const AgentLinkTable::Taken& taken);
    void on_time() override;
    void plan_sweep();

    const net::OwningLoop home_;
    const std::shared_ptr<LinkOpener> opener_;  // shared with the owner
    const DownstreamOptions options_;
    std::weak_ptr<AgentLinksOwner> owner_;
    // Shared with the calls that use a link, on any loop.
    const std::shared_ptr<SharedAgentLinkTable> table_ = std::make_shared<SharedAgentLinkTable>();
    std::map<std::string, std::shared_ptr<Opening>> openings_;
    std::map<std::string, Attached> attached_;  // for the links in the table
    bool is_over_ = false;
};

}  // namespace holdfast::downstream
