#include "admin/gauges.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

namespace holdfast::admin {
namespace {

using resilience::CircuitState;
using telemetry::MetricFamily;

constexpr std::array kServerStates{ServerState::connecting, ServerState::connected,
                                   ServerState::disconnected, ServerState::error};
constexpr std::array kCircuitStates{CircuitState::closed, CircuitState::open,
                                    CircuitState::half_open};

MetricFamily of_servers(const Status& status, std::string_view name, std::string_view help,
                        const std::function<double(const ServerStatus&)>& value,
                        std::string_view type = "gauge") {
    MetricFamily family{
        .name = std::string{name}, .help = std::string{help}, .type = std::string{type}};
    for (const ServerStatus& server : status.servers) {
        family.samples.push_back({.labels = {{"server", server.name}}, .value = value(server)});
    }
    return family;
}

MetricFamily of_gateway(std::string_view name, std::string_view help, double value) {
    return {.name = std::string{name}, .help = std::string{help}, .samples = {{.value = value}}};
}

MetricFamily unassigned_messages(const dispatch::UnassignedMessages& counts) {
    return {.name = "holdfast_unassigned_messages_total",
            .help = "Logs and questions of servers that were for no identifiable agent.",
            .type = "counter",
            .samples = {{.labels = {{"kind", "log"}}, .value = static_cast<double>(counts.logs)},
                        {.labels = {{"kind", "question"}},
                         .value = static_cast<double>(counts.questions)}}};
}

MetricFamily server_states(const Status& status) {
    MetricFamily family{.name = "holdfast_server_state",
                        .help = "1 for the current state of the server, 0 for the others."};
    for (const ServerStatus& server : status.servers) {
        for (const ServerState state : kServerStates) {
            family.samples.push_back(
                {.labels = {{"server", server.name}, {"state", std::string{text_of(state)}}},
                 .value = server.state == state ? 1.0 : 0.0});
        }
    }
    return family;
}

MetricFamily circuit_states(const Status& status) {
    MetricFamily family{.name = "holdfast_circuit_state",
                        .help = "1 for the current state of the circuit, 0 for the others."};
    for (const CircuitLine& line : status.circuits) {
        for (const CircuitState state : kCircuitStates) {
            family.samples.push_back(
                {.labels = {{"circuit", line.view.name},
                            {"state", std::string{resilience::name_of(state)}}},
                 .value = line.view.status.state == state ? 1.0 : 0.0});
        }
    }
    return family;
}

MetricFamily circuit_remaining(const Status& status) {
    MetricFamily family{.name = "holdfast_circuit_open_remaining_seconds",
                        .help = "Time until the circuit allows a probe."};
    for (const CircuitLine& line : status.circuits) {
        const auto left = line.view.status.retry_after.value_or(resilience::Duration::zero());
        family.samples.push_back({.labels = {{"circuit", line.view.name}},
                                  .value = std::chrono::duration<double>{left}.count()});
    }
    return family;
}

}  // namespace

std::vector<MetricFamily> gauges_of(const Status& status) {
    return {
        of_gateway("holdfast_uptime_seconds", "Time since the start of the gateway.",
                   status.uptime_s),
        of_gateway("holdfast_tools", "Tools in the catalogue.",
                   static_cast<double>(status.tools.total_tools)),
        of_gateway("holdfast_sessions", "Open agent sessions.",
                   static_cast<double>(status.sessions)),
        {.name = "holdfast_notifications_dropped_total",
         .help = "Notifications dropped because an agent on stdio or WebSocket read too slowly.",
         .type = "counter",
         .samples = {{.value = static_cast<double>(status.dropped_notifications)}}},
        of_gateway("holdfast_calls_parked", "Calls that wait for an answer from their agent.",
                   static_cast<double>(status.calls.parked)),
        unassigned_messages(status.unassigned),
        of_gateway("holdfast_buffers_bytes", "Memory of all large buffers together.",
                   static_cast<double>(status.buffers.used_bytes)),
        of_gateway("holdfast_buffers_limit_bytes", "Limit for the memory of large buffers.",
                   static_cast<double>(status.buffers.limit_bytes)),
        server_states(status),
        of_servers(status, "holdfast_server_in_flight", "Calls in flight on the server.",
                   [](const ServerStatus& server) { return server.queue.in_flight; }),
        of_servers(status, "holdfast_server_queued", "Calls waiting for a free slot on the server.",
                   [](const ServerStatus& server) { return server.queue.queued; }),
        of_servers(
            status, "holdfast_server_restarts_total", "Reconnects of the server.",
            [](const ServerStatus& server) { return static_cast<double>(server.restarts); },
            "counter"),
        circuit_states(status),
        circuit_remaining(status),
    };
}

}  // namespace holdfast::admin
