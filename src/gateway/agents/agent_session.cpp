#include "agents/agent_session.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "agents/log_level.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::agents {
namespace {

// Marks the ids of the gateway's own questions, so that they differ from the agent's ids.
constexpr std::string_view kQuestionPrefix = "holdfast-";

std::string question_id(std::uint64_t number) {
    return "\"" + std::string{kQuestionPrefix} + std::to_string(number) + "\"";
}

std::optional<std::uint64_t> question_number(std::string_view id) {
    if (id.size() < 2 || !id.starts_with('"') || !id.ends_with('"')) {
        return std::nullopt;
    }
    id = id.substr(1, id.size() - 2);
    if (!id.starts_with(kQuestionPrefix)) {
        return std::nullopt;
    }
    id.remove_prefix(kQuestionPrefix.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    const bool is_whole = error == std::errc{} && end == id.data() + id.size();
    return is_whole ? std::optional{number} : std::nullopt;
}

downstream::QuestionAnswer gone_answer() {
    return {.is_error = true,
            .body = R"({"code":-32603,"message":"The agent disconnected before it answered."})"};
}

}  // namespace

std::string agent_key(const Agent& agent, const AgentSession* session) {
    return session != nullptr ? session->key() : agent.face->key + '\n' + agent.face->client_info;
}

AgentSession::AgentSession(std::string key, std::string principal, const SessionLimits& limits)
    : key_(std::move(key)), principal_(std::move(principal)), limits_(limits) {}

std::shared_ptr<const Agent> AgentSession::agent() const {
    return state_.with([](const State& state) { return state.agent; });
}

void AgentSession::set_agent(std::shared_ptr<const Agent> agent) {
    state_.with([&agent](State& state) { state.agent = std::move(agent); });
    version_.fetch_add(1, std::memory_order_release);
}

bool AgentSession::try_enter(const std::string& id, std::weak_ptr<AgentCall> call) {
    return state_.with([&](State& state) {
        return !state.is_over && state.calls.size() < limits_.max_calls &&
               state.calls.emplace(id, std::move(call)).second;
    });
}

void AgentSession::leave(const std::string& id) {
    const auto on_quiet = state_.with([&id](State& state) {
        state.calls.erase(id);
        return taken_if_quiet(state);
    });
    if (on_quiet) {
        on_quiet();
    }
}

void AgentSession::hand_over(const std::string& id, const std::function<void()>& next) {
    state_.with([&id](State& state) {
        state.calls.erase(id);
        ++state.handing_over;
    });
    next();
    const auto on_quiet = state_.with([](State& state) {
        --state.handing_over;
        return taken_if_quiet(state);
    });
    if (on_quiet) {
        on_quiet();
    }
}

std::function<void()> AgentSession::taken_if_quiet(State& state) {
    return state.on_quiet && is_quiet(state) ? std::exchange(state.on_quiet, {}) : nullptr;
}

bool AgentSession::is_quiet(const State& state) {
    return state.handing_over == 0 && std::ranges::none_of(state.calls, [](const auto& one) {
               const auto call = one.second.lock();
               return call && call->ends_by_itself();
           });
}

void AgentSession::when_quiet(std::function<void()> handler) {
    const bool is_quiet_now = state_.with([&handler](State& state) {
        const bool is_now = is_quiet(state);
        state.on_quiet = is_now ? std::function<void()>{} : handler;
        return is_now;
    });
    if (is_quiet_now) {
        handler();
    }
}

void AgentSession::report_unwritten(const std::shared_ptr<net::UnwrittenTally>& tally) const {
    tally->ask();
    const auto [is_waiting, outlet] =
        state_.with([](const State& state) { return std::pair{!is_quiet(state), state.outlet}; });
    if (outlet) {
        outlet->report_unwritten(tally);
    }
    tally->report(is_waiting ? 1 : 0);
}

void AgentSession::cancel(const std::string& id) {
    const auto call = state_.with([&id](State& state) {
        const auto found = state.calls.find(id);
        return found == state.calls.end() ? std::shared_ptr<AgentCall>{} : found->second.lock();
    });
    if (call) {
        call->cancel();
    }
}

std::optional<std::uint64_t> AgentSession::ask(std::string_view method, std::string_view params,
                                               ReplyPort* port, AnswerHandler handler) {
    const bool by_port = port != nullptr && port->can_ask();
    std::shared_ptr<Outlet> outlet;
    const std::uint64_t number = state_.with([&](State& state) -> std::uint64_t {
        const bool is_reachable = by_port || state.outlet != nullptr;
        if (!is_reachable || state.is_over || state.questions.size() >= limits_.max_questions) {
            return 0;
        }
        outlet = state.outlet;
        state.questions.emplace(++state.last_question, std::move(handler));
        return state.last_question;
    });
    if (number == 0) {
        return std::nullopt;
    }
    std::string message = jsonrpc::request_text(question_id(number), method, params);
    if (by_port) {
        port->send(std::move(message), Importance::must_arrive);
    } else {
        outlet->send(std::move(message), Importance::must_arrive);
    }
    return number;
}

void AgentSession::withdraw(std::uint64_t question, ReplyPort* port) {
    std::shared_ptr<Outlet> outlet;
    // Destroyed outside the lock, because the handler may own anything.
    const auto node = state_.with([&](State& state) {
        outlet = state.outlet;
        return state.questions.extract(question);
    });
    if (node.empty()) {
        return;
    }
    const std::string params = R"({"requestId":)" + question_id(question) + "}";
    std::string message = jsonrpc::notification_text("notifications/cancelled", params);
    if (port != nullptr && port->can_ask()) {
        port->send(std::move(message), Importance::must_arrive);
    } else if (outlet != nullptr) {
        outlet->send(std::move(message), Importance::must_arrive);
    }
}

bool AgentSession::on_answer(std::string_view id, downstream::QuestionAnswer answer) {
    const auto number = question_number(id);
    if (!number) {
        return false;
    }
    AnswerHandler handler = state_.with([number](State& state) {
        auto node = state.questions.extract(*number);
        return node.empty() ? AnswerHandler{} : std::move(node.mapped());
    });
    if (!handler) {
        return false;
    }
    handler(std::move(answer));
    return true;
}

void AgentSession::tell(std::string message) {
    const auto outlet = state_.with([&](State& state) {
        if (state.outlet == nullptr && !state.is_over &&
            std::ranges::find(state.backlog, message) == state.backlog.end()) {
            if (state.backlog.size() >= limits_.max_backlog) {
                state.backlog.pop_front();
            }
            state.backlog.push_back(message);
        }
        return state.outlet;
    });
    if (outlet) {
        outlet->send(std::move(message), Importance::droppable);
    }
}

void AgentSession::set_outlet(std::shared_ptr<Outlet> outlet) {
    std::deque<std::string> backlog;
    const auto old = state_.with([&](State& state) {
        if (state.is_over) {
            return outlet;
        }
        if (outlet) {
            backlog.swap(state.backlog);
        }
        return std::exchange(state.outlet, outlet);
    });
    if (old) {
        old->end();
    }
    for (std::string& message : backlog) {
        outlet->send(std::move(message), Importance::droppable);
    }
}

std::shared_ptr<Outlet> AgentSession::outlet() const {
    return state_.with([](const State& state) { return state.outlet; });
}

void AgentSession::drop_outlet(const Outlet* outlet) {
    // Destroyed outside the lock.
    std::shared_ptr<Outlet> dropped;
    state_.with([&](State& state) {
        if (state.outlet.get() == outlet) {
            dropped.swap(state.outlet);
        }
    });
}

std::string_view AgentSession::log_level() const noexcept {
    return log_level_of(log_severity_.load(std::memory_order_relaxed));
}

void AgentSession::set_log_level(std::string_view level) {
    log_severity_.store(log_severity(level), std::memory_order_relaxed);
}

bool AgentSession::subscribe(const std::string& uri) {
    return state_.with([&](State& state) {
        if (std::ranges::find(state.subscriptions, uri) != state.subscriptions.end()) {
            return true;
        }
        if (state.subscriptions.size() >= limits_.max_subscriptions) {
            return false;
        }
        state.subscriptions.push_back(uri);
        return true;
    });
}

void AgentSession::unsubscribe(const std::string& uri) {
    state_.with([&uri](State& state) { std::erase(state.subscriptions, uri); });
}

std::vector<std::string> AgentSession::subscriptions() const {
    return state_.with([](const State& state) { return state.subscriptions; });
}

bool AgentSession::is_subscribed(std::string_view uri) const {
    return state_.with([uri](const State& state) {
        return std::ranges::any_of(state.subscriptions, [uri](const std::string& wanted) {
            return uri.starts_with(wanted);
        });
    });
}

void AgentSession::touch(resilience::TimePoint now) noexcept {
    last_used_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

resilience::TimePoint AgentSession::last_used() const noexcept {
    return resilience::TimePoint{resilience::Duration{last_used_.load(std::memory_order_relaxed)}};
}

bool AgentSession::is_idle() const {
    return state_.with([](const State& state) {
        return state.calls.empty() && state.handing_over == 0 && state.questions.empty() &&
               state.outlet == nullptr;
    });
}

void AgentSession::end() {
    version_.fetch_add(1, std::memory_order_release);
    State last;
    state_.with([&last](State& state) {
        last.calls.swap(state.calls);
        last.questions.swap(state.questions);
        last.outlet.swap(state.outlet);
        state.backlog.clear();
        state.is_over = true;
    });
    for (const auto& [id, call] : last.calls) {
        if (const auto alive = call.lock()) {
            alive->cancel();
        }
    }
    for (auto& [number, handler] : last.questions) {
        handler(gone_answer());
    }
    if (last.outlet) {
        last.outlet->end();
    }
}

}  // namespace holdfast::agents
