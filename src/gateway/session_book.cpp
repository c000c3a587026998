#include "gateway/session_book.hpp"

#include <utility>

namespace holdfast::gateway {

SessionBook::SessionBook(const SessionBookOptions& options,
                         std::function<std::string()> make_secret)
    : options_(options), make_secret_(std::move(make_secret)) {}

std::shared_ptr<AgentSession> SessionBook::open(const std::string& principal,
                                                resilience::TimePoint now) {
    auto session = std::make_shared<AgentSession>(make_secret_(), principal, options_.session);
    session->touch(now);
    const bool has_room = sessions_.with([&](Table& sessions) {
        if (sessions.size() >= options_.max_sessions) {
            return false;
        }
        sessions.emplace(session->key(), session);
        return true;
    });
    return has_room ? session : nullptr;
}

std::shared_ptr<AgentSession> SessionBook::find(std::string_view id) const {
    return sessions_.with([id](const Table& sessions) {
        const auto found = sessions.find(id);
        return found == sessions.end() ? std::shared_ptr<AgentSession>{} : found->second;
    });
}

std::shared_ptr<AgentSession> SessionBook::find(std::string_view id,
                                                std::string_view principal) const {
    auto session = find(id);
    return session && session->principal() == principal ? session : nullptr;
}

std::shared_ptr<AgentSession> SessionBook::remove(const std::string& id) {
    return sessions_.with([&id](Table& sessions) {
        auto node = sessions.extract(id);
        return node.empty() ? std::shared_ptr<AgentSession>{} : std::move(node.mapped());
    });
}

std::vector<std::shared_ptr<AgentSession>> SessionBook::remove_idle(resilience::TimePoint now) {
    std::vector<std::shared_ptr<AgentSession>> removed;
    for (const auto& session : all()) {
        const auto idle = resilience::elapsed_between(session->last_used(), now);
        if (idle >= options_.max_idle && session->is_idle() && remove(session->key())) {
            removed.push_back(session);
        }
    }
    return removed;
}

std::vector<std::shared_ptr<AgentSession>> SessionBook::all() const {
    return sessions_.with([](const Table& sessions) {
        std::vector<std::shared_ptr<AgentSession>> all;
        all.reserve(sessions.size());
        for (const auto& [id, session] : sessions) {
            all.push_back(session);
        }
        return all;
    });
}

std::shared_ptr<AgentSession> SessionBook::only_one() const {
    return sessions_.with([](const Table& sessions) {
        return sessions.size() == 1 ? sessions.begin()->second : std::shared_ptr<AgentSession>{};
    });
}

std::size_t SessionBook::size() const {
    return sessions_.with([](const Table& sessions) { return sessions.size(); });
}

}  // namespace holdfast::gateway
