#include "admin/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/nearest_name.hpp"
#include "net/run_on.hpp"

namespace holdfast::admin {
namespace {

using downstream::Downstream;
using guard::CircuitCommand;
using record::EventWhat;
using End = ControlResult::End;

constexpr std::size_t kNearestNames = 3;

struct CircuitAction {
    std::string_view name;
    CircuitCommand command;
    std::string_view done;
    EventWhat event;
};

constexpr std::array<CircuitAction, 5> kCircuitActions = {{
    {"reset", CircuitCommand::reset, "is closed, and its counters are reset", EventWhat::reset},
    {"force-open", CircuitCommand::force_open, "rejects every call until it is set to normal",
     EventWhat::forced_open},
    {"disable", CircuitCommand::disable, "passes every call and counts nothing",
     EventWhat::disabled},
    {"metrics-only", CircuitCommand::metrics_only, "passes every call and only counts",
     EventWhat::metrics_only},
    {"normal", CircuitCommand::normal, "works normally again", EventWhat::normal},
}};

struct ServerAction {
    std::string_view name;
    bool (Downstream::*act)();
    std::string_view done;
    std::string_view refused;  ///< Said when nothing could change.
    EventWhat event;
};

constexpr std::array<ServerAction, 3> kServerActions = {{
    {"restart", &Downstream::restart, "is restarting", "is paused or already connecting",
     EventWhat::restarted},
    {"pause", &Downstream::pause, "is paused; its calls fail at once until it is resumed",
     "is already paused or stopped", EventWhat::none},  // its new state is an event
    {"resume", &Downstream::resume, "is connecting", "is not paused", EventWhat::resumed},
}};

template <class Actions>
auto action_named(const Actions& actions, std::string_view name) {
    return std::ranges::find(actions, name, [](const auto& action) { return action.name; });
}

ControlResult unknown(std::string_view kind, std::string_view name,
                      const std::vector<std::string>& known) {
    const std::vector<std::string_view> views{known.begin(), known.end()};
    const auto nearest = base::nearest_names(name, views, kNearestNames);
    std::string message = fmt::format("Unknown {} \"{}\".", kind, name);
    if (!nearest.empty()) {
        message += fmt::format(" Nearest names: \"{}\".", fmt::join(nearest, "\", \""));
    }
    return {.end = End::unknown_name, .message = std::move(message)};
}

}  // namespace

bool Control::is_circuit_action(std::string_view action) {
    return action_named(kCircuitActions, action) != kCircuitActions.end();
}

bool Control::is_server_action(std::string_view action) {
    return action_named(kServerActions, action) != kServerActions.end();
}

ControlResult Control::circuit(std::string_view name, std::string_view action_name,
                               resilience::TimePoint now) const {
    const auto* const action = action_named(kCircuitActions, action_name);
    HOLDFAST_EXPECT(action != kCircuitActions.end());
    bool is_known = false;
    std::vector<std::string> names;
    const auto servers = parts_.gateway->servers();
    for (const surface::Server& server : *servers) {
        is_known |= server.guard->command(name, action->command, now);
        for (guard::CircuitView& circuit : server.guard->circuits(now)) {
            names.push_back(std::move(circuit.name));
        }
    }
    if (!is_known) {
        std::ranges::sort(names);
        names.erase(std::ranges::unique(names).begin(), names.end());
        return unknown("circuit", name, names);
    }
    record(record::EventKind::circuit, {}, std::string{name}, action->event);
    return {.message = fmt::format("The circuit \"{}\" {}.", name, action->done)};
}

void Control::server(std::string_view name, std::string_view action_name,
                     const ControlDone& done) const {
    const auto* const action = action_named(kServerActions, action_name);
    HOLDFAST_EXPECT(action != kServerActions.end());
    const auto servers = parts_.gateway->servers();
    const auto found = std::ranges::find(*servers, name, &surface::Server::name);
    if (found == servers->end()) {
        std::vector<std::string> names;
        names.reserve(servers->size());
        for (const surface::Server& server : *servers) {
            names.push_back(server.name);
        }
        done(unknown("server", name, names));
        return;
    }
    net::run_on(found->home, [server = *found, action, done, recorder = parts_.recorder] {
        const auto message = [&server](std::string_view what) {
            return fmt::format("The server \"{}\" {}.", server.name, what);
        };
        if (!((*server.downstream).*(action->act))()) {
            done({.end = End::conflict, .message = message(action->refused)});
            return;
        }
        if (action->event != EventWhat::none) {
            recorder->on_event({.kind = record::EventKind::connection,
                                .server = server.name,
                                .what = action->event,
                                .reason = "by an operator"});
        }
        done({.message = message(action->done)});
    });
}

ControlResult Control::drain() const {
    parts_.gateway->refuse_new_calls();
    record(record::EventKind::gateway, {}, {}, EventWhat::draining);
    return {.message = "New calls are rejected from now on. In-flight calls run to their end."};
}

void Control::record(record::EventKind kind, std::string server, std::string subject,
                     record::EventWhat what) const {
    parts_.recorder->on_event({.kind = kind,
                               .server = std::move(server),
                               .subject = std::move(subject),
                               .what = what,
                               .reason = "by an operator"});
}

}  // namespace holdfast::admin
