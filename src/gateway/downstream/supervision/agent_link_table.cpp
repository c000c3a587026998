#include "downstream/supervision/agent_link_table.hpp"

#include <algorithm>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::downstream {

std::optional<AgentLinkTable::Used> AgentLinkTable::try_use(std::string_view agent_key,
                                                            TimePoint now) {
    const auto place = entries_.find(agent_key);
    if (place == entries_.end()) {
        return std::nullopt;
    }
    Entry& entry = place->second;
    ++entry.in_flight;
    entry.last_use = std::max(entry.last_use, now);
    return Used{.link = entry.link, .link_id = entry.link_id};
}

void AgentLinkTable::release(std::string_view agent_key, std::uint64_t link_id,
                             std::optional<TimePoint> now) {
    const auto place = entries_.find(agent_key);
    if (place == entries_.end() || place->second.link_id != link_id) {
        return;
    }
    Entry& entry = place->second;
    HOLDFAST_EXPECT(entry.in_flight > 0);
    --entry.in_flight;
    entry.last_use = std::max(entry.last_use, now.value_or(entry.last_use));
}

void AgentLinkTable::put(std::string agent_key, std::shared_ptr<Link> link, TimePoint now) {
    const bool is_new =
        entries_
            .emplace(std::move(agent_key),
                     Entry{.link = std::move(link), .link_id = ++last_link_id_, .last_use = now})
            .second;
    HOLDFAST_EXPECT(is_new);
}

std::shared_ptr<Link> AgentLinkTable::find(std::string_view agent_key) const {
    const auto place = entries_.find(agent_key);
    return place == entries_.end() ? nullptr : place->second.link;
}

std::shared_ptr<Link> AgentLinkTable::take(std::string_view agent_key) {
    const auto place = entries_.find(agent_key);
    if (place == entries_.end()) {
        return nullptr;
    }
    auto link = std::move(place->second.link);
    entries_.erase(place);
    return link;
}

std::optional<AgentLinkTable::Taken> AgentLinkTable::take_least_recent_idle() {
    auto found = entries_.end();
    for (auto place = entries_.begin(); place != entries_.end(); ++place) {
        if (place->second.in_flight == 0 &&
            (found == entries_.end() || place->second.last_use < found->second.last_use)) {
            found = place;
        }
    }
    if (found == entries_.end()) {
        return std::nullopt;
    }
    Taken taken{.agent_key = found->first, .link = std::move(found->second.link)};
    entries_.erase(found);
    return taken;
}

std::vector<AgentLinkTable::Taken> AgentLinkTable::take_idle_since(TimePoint last_use) {
    std::vector<Taken> taken;
    for (auto place = entries_.begin(); place != entries_.end();) {
        if (place->second.in_flight == 0 && place->second.last_use <= last_use) {
            taken.push_back({.agent_key = place->first, .link = std::move(place->second.link)});
            place = entries_.erase(place);
        } else {
            ++place;
        }
    }
    return taken;
}

std::vector<AgentLinkTable::Taken> AgentLinkTable::take_all() {
    std::vector<Taken> taken;
    taken.reserve(entries_.size());
    for (auto& [agent_key, entry] : entries_) {
        taken.push_back({.agent_key = agent_key, .link = std::move(entry.link)});
    }
    entries_.clear();
    return taken;
}

std::optional<resilience::TimePoint> AgentLinkTable::oldest_use() const {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(), [](const auto& left, const auto& right) {
            return left.second.last_use < right.second.last_use;
        });
    return oldest == entries_.end() ? std::nullopt : std::optional{oldest->second.last_use};
}

void AgentLinkUse::release(std::optional<resilience::TimePoint> now) {
    if (const auto table = std::exchange(table_, nullptr)) {
        table->with([&](AgentLinkTable& links) { links.release(agent_key_, link_id_, now); });
    }
}

}  // namespace holdfast::downstream
