#include "agents/session_registry.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

namespace holdfast::agents {
namespace {

// Evicts several sessions at once, because the search is expensive.
constexpr std::size_t kShare = 100;

struct Unused {
    resilience::TimePoint since;
    std::shared_ptr<AgentSession> session;
};

}  // namespace

SessionRegistry::SessionRegistry(const SessionRegistryOptions& options,
                                 std::function<std::string()> make_secret)
    : options_(options), make_secret_(std::move(make_secret)) {}

std::shared_ptr<AgentSession> SessionRegistry::open(const std::string& principal,
                                                    resilience::TimePoint now) {
    auto session = std::make_shared<AgentSession>(make_secret_(), principal, options_.session);
    session->touch(now);
    const bool has_slot = sessions_.with([&](Table& sessions) {
        if (sessions.size() >= options_.max_sessions) {
            return false;
        }
        sessions.emplace(session->key(), session);
        return true;
    });
    return has_slot ? session : nullptr;
}

std::vector<std::shared_ptr<AgentSession>> SessionRegistry::evict_if_full(
    resilience::TimePoint now) {
    if (size() < options_.max_sessions) {
        return {};
    }
    std::unordered_map<std::string_view, std::vector<Unused>> unused_of;
    for (auto& session : all()) {
        const auto since = session->last_used();
        if (resilience::elapsed_between(since, now) >= options_.min_idle && session->is_idle()) {
            unused_of[session->principal()].push_back({since, std::move(session)});
        }
    }
    if (unused_of.empty()) {
        return {};
    }
    auto& unused = std::ranges::max_element(unused_of, {}, [](const auto& entry) {
                       return entry.second.size();
                   })->second;
    const std::size_t count = std::min(unused.size(), options_.max_sessions / kShare + 1);
    std::ranges::partial_sort(unused, unused.begin() + static_cast<std::ptrdiff_t>(count), {},
                              &Unused::since);
    std::vector<std::shared_ptr<AgentSession>> removed;
    removed.reserve(count);
    for (const Unused& each : std::span{unused}.first(count)) {
        const bool is_still_unused =
            each.session->last_used() == each.since && each.session->is_idle();
        if (is_still_unused && remove(each.session->key())) {
            removed.push_back(each.session);
        }
    }
    return removed;
}

std::vector<std::shared_ptr<AgentSession>> SessionRegistry::evict_share_for(
    std::string_view principal) {
    if (size() < options_.max_sessions) {
        return {};
    }
    std::unordered_map<std::string_view, std::vector<std::shared_ptr<AgentSession>>> sessions_of;
    const auto sessions = all();
    for (const auto& session : sessions) {
        sessions_of[session->principal()].push_back(session);
    }
    const std::size_t own_count = sessions_of[principal].size();
    auto& most = std::ranges::max_element(sessions_of, {}, [](const auto& entry) {
                     return entry.second.size();
                 })->second;
    if (most.size() < own_count + 2) {
        return {};
    }
    const std::size_t count =
        std::min((most.size() - own_count) / 2, options_.max_sessions / kShare + 1);
    std::ranges::partial_sort(
        most, most.begin() + static_cast<std::ptrdiff_t>(count), {},
        [](const auto& session) { return std::pair{!session->is_idle(), session->last_used()}; });
    std::vector<std::shared_ptr<AgentSession>> removed;
    removed.reserve(count);
    for (const auto& session : std::span{most}.first(count)) {
        if (remove(session->key())) {
            removed.push_back(session);
        }
    }
    return removed;
}

std::shared_ptr<AgentSession> SessionRegistry::find(std::string_view id) const {
    return sessions_.with([id](const Table& sessions) {
        const auto found = sessions.find(id);
        return found == sessions.end() ? std::shared_ptr<AgentSession>{} : found->second;
    });
}

std::shared_ptr<AgentSession> SessionRegistry::find(std::string_view id,
                                                    std::string_view principal) const {
    auto session = find(id);
    return session && session->principal() == principal ? session : nullptr;
}

std::shared_ptr<AgentSession> SessionRegistry::remove(const std::string& id) {
    return sessions_.with([&id](Table& sessions) {
        auto node = sessions.extract(id);
        return node.empty() ? std::shared_ptr<AgentSession>{} : std::move(node.mapped());
    });
}

std::vector<std::shared_ptr<AgentSession>> SessionRegistry::remove_idle(resilience::TimePoint now) {
    std::vector<std::shared_ptr<AgentSession>> removed;
    for (const auto& session : all()) {
        const auto idle = resilience::elapsed_between(session->last_used(), now);
        if (idle >= options_.max_idle && session->is_idle() && remove(session->key())) {
            removed.push_back(session);
        }
    }
    return removed;
}

std::vector<std::shared_ptr<AgentSession>> SessionRegistry::all() const {
    return sessions_.with([](const Table& sessions) {
        std::vector<std::shared_ptr<AgentSession>> all;
        all.reserve(sessions.size());
        for (const auto& [id, session] : sessions) {
            all.push_back(session);
        }
        return all;
    });
}

std::size_t SessionRegistry::size() const {
    return sessions_.with([](const Table& sessions) { return sessions.size(); });
}

}  // namespace holdfast::agents
