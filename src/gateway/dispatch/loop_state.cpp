#include "dispatch/loop_state.hpp"

#include "guard/server_guard.hpp"

namespace holdfast::dispatch {

const CallContext& LoopState::context() {
    // The copy of the loop keeps the known context alive until it takes another one, so two
    // contexts never have the same address.
    if (const CallContext* const latest = contexts_.on(loop_); latest != known_) {
        known_ = latest;
        rules_.clear();  // Their keys are tools of the previous surface.
    }
    return *known_;
}

std::shared_ptr<const guard::CallRules> LoopState::rules_for(const surface::Callable& tool,
                                                             resilience::TimePoint now) {
    guard::ServerGuard& guard = *tool.server->guard;
    // Read before the rules: if they change in between, the next call reads them again.
    const std::uint64_t edition = guard.edition();
    KnownRules& known = rules_[&tool];
    if (!known.rules || known.edition != edition) {
        known = {.edition = edition, .rules = guard.rules_for_tool(tool.own_name, now)};
    }
    return known.rules;
}

LoopState::FoundSession LoopState::find_session(std::string_view id, std::string_view principal) {
    FoundSession found;
    if (const auto known = sessions_.find(id); known != sessions_.end()) {
        found.session = known->second.session.lock();
        if (found.session && found.session->version() == known->second.version) {
            found.agent = known->second.agent;
        } else {
            sessions_.erase(known);
            found = read_session(id);
        }
    } else {
        found = read_session(id);
    }
    return found.session && found.session->principal() == principal ? found : FoundSession{};
}

LoopState::FoundSession LoopState::read_session(std::string_view id) {
    FoundSession found{.session = registry_.find(id)};
    if (!found.session) {
        return {};
    }
    const std::uint64_t version = found.session->version();
    found.agent = found.session->agent();
    if (sessions_.size() >= kMaxSessions) {
        sessions_.clear();  // Sessions that are still in use come back with their next request.
    }
    sessions_.insert_or_assign(
        std::string{id},
        KnownSession{.session = found.session, .version = version, .agent = found.agent});
    return found;
}

}  // namespace holdfast::dispatch
