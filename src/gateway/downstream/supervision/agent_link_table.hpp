#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/link.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// The per-agent links and their users.
///
/// Thread-safety: none; wrap in Synchronized to share.
class AgentLinkTable final {
public:
    using TimePoint = resilience::TimePoint;

    struct Used {
        std::shared_ptr<Link> link = {};
        std::uint64_t link_id = 0;
    };
    struct Taken {
        std::string agent_key = {};
        std::shared_ptr<Link> link = {};
    };

    /// Marks the agent's link as in use; returns nothing if the agent has no link.
    [[nodiscard]] std::optional<Used> try_use(std::string_view agent_key, TimePoint now);
    /// Ends one use. No effect if the link has been removed.
    void release(std::string_view agent_key, std::uint64_t link_id, std::optional<TimePoint> now);

    /// Requires that the agent has no link.
    void put(std::string agent_key, std::shared_ptr<Link> link, TimePoint now);
    [[nodiscard]] std::shared_ptr<Link> find(std::string_view agent_key) const;
    /// Returns null if the agent has no link.
    [[nodiscard]] std::shared_ptr<Link> take(std::string_view agent_key);
    /// Returns nothing if all links are in use.
    [[nodiscard]] std::optional<Taken> take_least_recent_idle();
    /// Removes the unused links that were last used at or before this time.
    [[nodiscard]] std::vector<Taken> take_idle_since(TimePoint last_use);
    [[nodiscard]] std::vector<Taken> take_all();

    /// Returns the earliest last use; nothing if there are no links.
    [[nodiscard]] std::optional<TimePoint> oldest_use() const;
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct Entry {
        std::shared_ptr<Link> link = {};
        std::uint64_t link_id = 0;
        std::size_t in_flight = 0;
        TimePoint last_use = {};
    };

    std::map<std::string, Entry, std::less<>> entries_;
    std::uint64_t last_link_id_ = 0;
};

using SharedAgentLinkTable = resilience::Synchronized<AgentLinkTable>;

/// One call's use of an agent's link; ends with this object.
///
/// Thread-safety: none; belongs to the call.
class AgentLinkUse final {
public:
    AgentLinkUse(std::shared_ptr<SharedAgentLinkTable> table, std::string agent_key,
                 std::uint64_t link_id)
        : table_(std::move(table)), agent_key_(std::move(agent_key)), link_id_(link_id) {}
    AgentLinkUse(const AgentLinkUse&) = delete;
    AgentLinkUse& operator=(const AgentLinkUse&) = delete;
    ~AgentLinkUse() { release(std::nullopt); }

    /// Ends the use at this time.
    void end(resilience::TimePoint now) { release(now); }

private:
    void release(std::optional<resilience::TimePoint> now);

    std::shared_ptr<SharedAgentLinkTable> table_;  // shared with the downstream; null = ended
    const std::string agent_key_;
    const std::uint64_t link_id_;
};

}  // namespace holdfast::downstream
