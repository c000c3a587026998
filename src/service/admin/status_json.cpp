#include <algorithm>
#include <chrono>

#include "admin/status.hpp"
#include "base/iso_time.hpp"
#include "downstream/downstream_status.hpp"
#include "jsonrpc/json_writer.hpp"

// The status as the JSON that the page, the commands and the agents read; see docs/api.md.

namespace holdfast::admin {
namespace {

void write(jsonrpc::JsonWriter& out, const ServerCircuit& circuit) {
    out.begin_object().key("state").text(circuit.state);
    out.key("failure_count").number(circuit.failure_count);
    out.key("can_attempt").boolean(circuit.can_attempt);
    out.key("remaining_s").number_or_null(circuit.remaining_s).end_object();
}

void write(jsonrpc::JsonWriter& out, const telemetry::LastError& error) {
    out.begin_object().key("at").text(base::iso_time(error.at_ms)).key("code").text(error.code);
    out.key("tool").text(error.tool).key("message").text(error.message).end_object();
}

void write_connection(jsonrpc::JsonWriter& out, const ServerStatus& server) {
    out.key("stderr").begin_array();
    for (const std::string& line : server.log) {
        out.text(line);
    }
    out.end_array();
    out.key("pid").number_or_null(server.pid);
    out.key("uptime_s").number_or_null(server.uptime_s);
    out.key("restarts").number(server.restarts);
    out.key("failures_in_row").number(server.failures_in_row);
    out.key("given_up").boolean(server.is_given_up);
    out.key("next_attempt_at");
    server.next_attempt_ms ? out.text(base::iso_time(*server.next_attempt_ms)) : out.null();
    out.key("next_attempt_in_s").number_or_null(server.next_attempt_in_s);
    out.key("paused").boolean(server.is_paused);
}

void write(jsonrpc::JsonWriter& out, const ServerStatus& server) {
    out.begin_object();
    out.key("status").text(text_of(server.state)).key("reason");
    out.text(downstream::operator_reason(server.reason, server.log_excerpt));
    out.key("transport").text(server.transport).key("era").text(server.era);
    out.key("tool_count").number(server.tools);
    out.key("prompt_count").number(server.prompts);
    out.key("resource_count").number(server.resources);
    out.key("circuit_breaker");
    write(out, server.circuit);
    out.key("last_error");
    if (server.last_error) {
        write(out, *server.last_error);
    } else {
        out.null();
    }
    write_connection(out, server);
    out.key("in_flight").number(server.queue.in_flight);
    out.key("queued").number(server.queue.queued);
    out.key("in_flight_limit").number(server.queue.options.max_in_flight);
    out.key("queue_limit").number(server.queue.options.max_queue);
    out.key("calls").number(server.calls.calls);
    out.key("failures").number(server.calls.failures);
    out.end_object();
}

void write(jsonrpc::JsonWriter& out, const CircuitLine& line) {
    const resilience::CircuitStatus& status = line.view.status;
    out.begin_object().key("name").text(line.view.name).key("servers").begin_array();
    for (const std::string& server : line.servers) {
        out.text(server);
    }
    out.end_array();
    out.key("state").text(resilience::name_of(status.state));
    out.key("mode").text(resilience::name_of(status.mode));
    out.key("failure_count").number(status.consecutive_failures);
    out.key("failures_to_open").number(line.view.options.failure_threshold);
    out.key("remaining_s");
    status.retry_after ? out.number(in_seconds(*status.retry_after)) : out.null();
    out.key("open_for_s").number(in_seconds(line.view.options.open_for));
    out.key("probes_in_flight").number(status.probes_in_flight);
    out.key("can_attempt").boolean(status.can_attempt);
    out.key("opened").number(line.view.opened).end_object();
}

void write_or_null(jsonrpc::JsonWriter& out, const std::optional<RejectedConfig>& rejected) {
    if (!rejected) {
        out.null();
        return;
    }
    out.begin_object().key("at").text(base::iso_time(rejected->at_ms));
    out.key("reason").text(rejected->reason).end_object();
}

void write_gateway(jsonrpc::JsonWriter& out, const Status& status) {
    const GatewayContext& facts = status.gateway;
    out.key("server").begin_object();
    out.key("name").text(facts.name).key("version").text(facts.version);
    out.key("pid").number(facts.pid).key("uptime_s").number(status.uptime_s);
    out.key("started_at").text(base::iso_time(facts.started_ms));
    out.key("draining").boolean(status.is_draining);
    out.key("config").text(facts.config_file);
    out.key("config_rejected");
    write_or_null(out, status.rejected_config);
    out.key("clock_rate").number(facts.clock_rate).end_object();
}

void write_tools(jsonrpc::JsonWriter& out, const Status& status) {
    out.key("tool_zoo").begin_object();
    out.key("total_tools").number(status.tools.total_tools);
    out.key("indexed").boolean(status.tools.is_indexed());
    out.key("indexed_tools").number(status.tools.search.indexed);
    out.key("embedded").number(status.tools.search.embedded);
    out.key("set_aside").number(status.tools.search.set_aside);
    out.key("generation").number(status.tools.generation);
    out.key("mode").text(surface::text_of(status.tools.mode));
    out.key("list_bytes").number(status.tools.list_bytes);
    out.key("list_tokens").number(status.tools.list_tokens).end_object();
    out.key("router").begin_object();
    out.key("predictions").number(status.router.predictions);
    out.key("avg_precision").number_or_null(status.router.avg_precision);
    out.key("avg_recall").number_or_null(status.router.avg_recall);
    out.key("fallbacks").number(status.router.fallbacks).end_object();
}

void write_telemetry(jsonrpc::JsonWriter& out, const std::optional<telemetry::StoreStatus>& store) {
    out.key("telemetry").begin_object();
    out.key("state").text(store ? telemetry::text_of(store->state) : "off");
    out.key("reason").text(store ? store->reason : "");
    out.key("stored").number(store ? store->stored : 0);
    out.key("dropped").number(store ? store->dropped : 0).end_object();
}

}  // namespace

std::string json_of(const Status& status) {
    jsonrpc::JsonWriter out;
    out.begin_object();
    write_gateway(out, status);
    out.key("downstream_servers").begin_object();
    for (const ServerStatus& server : status.servers) {
        out.key(server.name);
        write(out, server);
    }
    out.end_object();
    write_tools(out, status);
    out.key("circuits").begin_array();
    for (const CircuitLine& line : status.circuits) {
        write(out, line);
    }
    out.end_array();
    out.key("calls").begin_object();
    out.key("total").number(status.calls.total).key("failed").number(status.calls.failed);
    out.key("in_flight").number(status.calls.in_flight);
    out.key("parked").number(status.calls.parked).end_object();
    out.key("buffers").begin_object().key("used_bytes").number(status.buffers.used_bytes);
    out.key("limit_bytes").number(status.buffers.limit_bytes).end_object();
    out.key("sessions").begin_object().key("legacy").number(status.sessions).end_object();
    write_telemetry(out, status.store);
    return out.end_object().take();
}

}  // namespace holdfast::admin
