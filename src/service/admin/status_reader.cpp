#include "admin/status_reader.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/secret.hpp"
#include "calls/parked_calls.hpp"
#include "mcp/revision.hpp"

namespace holdfast::admin {
namespace {

using downstream::DownstreamStatus;
using downstream::LinkState;
using downstream::ListKind;
using resilience::CircuitState;
using resilience::TimePoint;

std::size_t count_of(const surface::Surface& surface, downstream::ListKind kind,
                     std::string_view server) {
    return static_cast<std::size_t>(
        std::ranges::count(surface.catalogue(kind).items(), server, &catalogue::Item::server));
}

/// Describes the last failure on an existing link.
std::string failure_text(const guard::ServerHealth& health) {
    if (health.failing_with == policy::ErrorClassId::timeout) {
        return "Its last call timed out.";
    }
    if (health.failing_with == policy::ErrorClassId::malformed) {
        return "Its last answer was malformed.";
    }
    return "Its last call failed: " + health.class_name + ".";
}

/// Describes what is wrong with the lists of a connected server.
std::string lists_text(const DownstreamStatus& connection) {
    const std::string problems = downstream::list_problems_text(connection);
    const std::string faults = downstream::list_faults_text(connection);
    return problems + (problems.empty() || faults.empty() ? "" : " ") + faults;
}

void add_state(const DownstreamStatus& connection, const guard::ServerHealth& health,
               ServerStatus& status) {
    status.reason = connection.reason;
    status.log_excerpt = connection.log_excerpt;
    switch (connection.state) {
        case LinkState::ready: {
            // Failures before this link say nothing about it.
            const bool is_failing = health.failing_with && health.since >= *connection.ready_since;
            // Without its tools a server is of no use, although it answers.
            const bool has_no_tools =
                std::ranges::find(connection.list_problems, "tools/list",
                                  &downstream::ListProblem::list) != connection.list_problems.end();
            status.state = is_failing || has_no_tools ? ServerState::error : ServerState::connected;
            status.reason = is_failing ? failure_text(health) : lists_text(connection);
            return;
        }
        case LinkState::connecting:
            status.state = ServerState::connecting;
            return;
        case LinkState::waiting:
            status.state = ServerState::error;
            return;
        case LinkState::paused:
            status.is_paused = true;
            return;
        case LinkState::idle:
            status.reason = "Not used yet.";
            return;
        case LinkState::stopped:
            return;
    }
}

/// Ranks a circuit; closed is 0.
int badness(const guard::CircuitView& circuit) {
    if (!circuit.status.can_attempt) {
        return 2;
    }
    return circuit.status.state == CircuitState::closed ? 0 : 1;
}

ServerCircuit circuit_of(const std::string& server, const std::vector<guard::CircuitView>& all) {
    if (all.empty()) {
        return {};
    }
    const auto own = std::ranges::find(all, server, &guard::CircuitView::name);
    const auto& shown = own != all.end() ? *own : *std::ranges::max_element(all, {}, badness);
    ServerCircuit circuit{.state = std::string{resilience::name_of(shown.status.state)},
                          .failure_count = shown.status.consecutive_failures,
                          .can_attempt = shown.status.can_attempt};
    if (shown.status.retry_after) {
        circuit.remaining_s = in_seconds(*shown.status.retry_after);
    }
    return circuit;
}

/// Servers that share a guard have the same circuits under the same names.
void add_circuits(const std::vector<surface::Server>& servers, TimePoint now,
                  std::vector<CircuitLine>& lines) {
    struct Known {
        const guard::ServerGuard* guard;
        std::size_t line;
    };
    std::vector<Known> known;
    for (const surface::Server& server : servers) {
        for (guard::CircuitView& view : server.guard->circuits(now)) {
            const auto same = std::ranges::find_if(known, [&](const Known& other) {
                return lines[other.line].view.name == view.name &&
                       other.guard->shares_circuits_with(*server.guard);
            });
            if (same != known.end()) {
                lines[same->line].servers.push_back(server.name);
                continue;
            }
            known.push_back({.guard = server.guard.get(), .line = lines.size()});
            lines.push_back({.view = std::move(view), .servers = {server.name}});
        }
    }
    std::ranges::sort(lines, {}, [](const CircuitLine& line) { return line.view.name; });
}

CallsStatus calls_of(const calls::CallEnvironment& calls, const telemetry::Metrics& metrics) {
    CallsStatus status{.in_flight = calls.in_flight->load(std::memory_order_relaxed),
                       .parked = calls.parked->size()};
    for (const auto& [server, total] : metrics.by_server()) {
        status.total += total.calls;
        status.failed += total.failures;
    }
    return status;
}

BuffersStatus buffers_of(const net::BufferBudget* buffers) {
    return buffers == nullptr ? BuffersStatus{}
                              : BuffersStatus{.used_bytes = buffers->used_bytes(),
                                              .limit_bytes = buffers->max_bytes()};
}

}  // namespace

std::string_view text_of(ServerState state) noexcept {
    switch (state) {
        case ServerState::connecting:
            return "connecting";
        case ServerState::connected:
            return "connected";
        case ServerState::disconnected:
            return "disconnected";
        case ServerState::skipped:
            return "skipped";
        case ServerState::error:
            break;
    }
    return "error";
}

Status StatusReader::read(TimePoint now) const {
    dispatch::Gateway& gateway = *sources_.gateway;
    const auto servers = gateway.servers();
    const auto surface = gateway.surface();
    Status status{.gateway = sources_.facts,
                  .uptime_s = in_seconds(resilience::elapsed_between(sources_.started, now)),
                  .is_draining = gateway.is_draining(),
                  .now_ms = sources_.now_ms(),
                  .tools = gateway.tool_inventory(),
                  .router = gateway.router().routes().totals(),
                  .calls = calls_of(*gateway.calls(), sources_.recording->metrics()),
                  .buffers = buffers_of(sources_.buffers),
                  .sessions = gateway.sessions().size(),
                  .unassigned = gateway.unassigned_messages(),
                  .dropped_notifications = gateway.dropped_notifications(),
                  .store = sources_.recording->store_status()};
    const auto totals = sources_.recording->metrics().by_server();
    status.servers.reserve(servers->size());
    for (const surface::Server& server : *servers) {
        ServerStatus& one = status.servers.emplace_back(server_status(server, now));
        one.tools = count_of(*surface, downstream::ListKind::tools, server.name);
        one.prompts = count_of(*surface, downstream::ListKind::prompts, server.name);
        one.resources = count_of(*surface, downstream::ListKind::resources, server.name) +
                        count_of(*surface, downstream::ListKind::templates, server.name);
        if (const auto total = totals.find(server.name); total != totals.end()) {
            one.calls = total->second;
        }
    }
    add_entry_problems(status);
    add_circuits(*servers, now, status.circuits);
    return status;
}

void StatusReader::add_entry_problems(Status& status) const {
    if (!sources_.problems) {
        return;
    }
    const auto problems = sources_.problems->texts();
    status.rejected_config = problems->rejected;
    if (status.rejected_config) {
        status.rejected_config->reason = shown(status.rejected_config->reason);
    }
    for (ServerStatus& server : status.servers) {
        const auto carried = problems->carried.find(server.name);
        if (carried != problems->carried.end()) {
            server.reason += (server.reason.empty() ? "" : " ") +
                             ("The previous entry is still in use: " + shown(carried->second));
        }
    }
    for (const auto& [name, why] : problems->skipped) {
        status.servers.push_back({.name = name,
                                  .state = ServerState::skipped,
                                  .reason = shown(why),
                                  .circuit = {.can_attempt = false}});
    }
}

ServerStatus StatusReader::server_status(const surface::Server& server, TimePoint now) const {
    ServerStatus status{.name = server.name,
                        .transport = server.transport,
                        .circuit = circuit_of(server.name, server.guard->circuits(now)),
                        .last_error = sources_.recording->last_errors().of(server.name),
                        .queue = server.guard->queue()};
    add_connection(server, now, status);
    status.log = server.downstream->last_log_lines(sources_.options.log_lines);
    for (std::string& line : status.log) {
        line = shown(line);
    }
    return status;
}

void StatusReader::add_connection(const surface::Server& server, TimePoint now,
                                  ServerStatus& status) const {
    const DownstreamStatus connection = server.downstream->status();
    add_state(connection, server.guard->health(), status);
    status.reason = shown(status.reason);
    status.log_excerpt = shown(status.log_excerpt);
    status.pid = connection.pid;
    status.restarts = connection.connects > 0 ? connection.connects - 1 : 0;
    status.failures_in_row = connection.failures_in_row;
    status.is_given_up = connection.is_given_up;
    if (connection.negotiated) {
        status.era = mcp::text_of(connection.negotiated->revision);
    }
    if (connection.ready_since) {
        status.uptime_s = in_seconds(resilience::elapsed_between(*connection.ready_since, now));
    }
    if (connection.starting_since) {
        status.starting_s =
            in_seconds(resilience::elapsed_between(*connection.starting_since, now));
    }
    if (connection.next_attempt_at) {
        const double left =
            in_seconds(resilience::elapsed_between(now, *connection.next_attempt_at));
        const std::chrono::duration<double> on_the_wall{left / sources_.facts.clock_rate};
        status.next_attempt_in_s = left;
        status.next_attempt_ms =
            sources_.now_ms() +
            std::chrono::duration_cast<std::chrono::milliseconds>(on_the_wall).count();
    }
}

std::vector<std::string> StatusReader::missing() const {
    dispatch::Gateway& gateway = *sources_.gateway;
    std::vector<std::string> names;
    if (gateway.is_draining()) {
        names.emplace_back("the gateway is draining and accepts no new calls");
    } else if (!gateway.startup_barrier().is_over()) {
        for (const surface::Server& server : *gateway.servers()) {
            if (server.downstream->status().connects == 0) {
                names.push_back(server.name);
            }
        }
    }
    return names;
}

std::string StatusReader::shown(const std::string& text) const {
    const auto secrets = sources_.gateway->calls()->secrets->all();
    return secrets->empty() ? text : base::without_secrets(text, *secrets);
}

}  // namespace holdfast::admin
