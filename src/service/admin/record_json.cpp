#include "admin/record_json.hpp"

#include <optional>

#include "base/iso_time.hpp"
#include "jsonrpc/json_writer.hpp"

namespace holdfast::admin {
namespace {

constexpr double kMicrosInMs = 1'000;

double ms(std::int64_t us) {
    return static_cast<double>(us) / kMicrosInMs;
}

void write_attempts(jsonrpc::JsonWriter& out, std::span<const record::AttemptRecord> attempts) {
    out.key("attempts").begin_array();
    for (const record::AttemptRecord& attempt : attempts) {
        out.begin_object().key("server").text(attempt.server);
        out.key("began_ms").number(ms(attempt.began_us)).key("took_ms").number(ms(attempt.took_us));
        out.key("end").text(attempt.end).key("detail").text(attempt.detail).end_object();
    }
    out.end_array();
}

void write_route(jsonrpc::JsonWriter& out, const record::CallRecord& call,
                 std::string_view policy_values) {
    out.key("method").text(call.method).key("tool").text(call.tool);
    out.key("server").text(call.server).key("route").text(call.route);
    out.key("outcome").text(call.outcome).key("message").text(call.message);
    out.key("policy").text(call.policy).key("policy_values").raw(policy_values);
    out.key("circuit").text(call.circuit).key("circuit_before").text(call.circuit_before);
    out.key("circuit_after").text(call.circuit_after).key("substitute").text(call.substitute);
}

template <class Value>
void write_values(jsonrpc::JsonWriter& out, std::string_view name,
                  const std::vector<Value>& values) {
    out.key(name).begin_array();
    for (const Value& value : values) {
        out.number(value);
    }
    out.end_array();
}

void write_values(jsonrpc::JsonWriter& out, std::string_view name,
                  const std::vector<std::optional<double>>& values) {
    out.key(name).begin_array();
    for (const std::optional<double>& value : values) {
        out.number_or_null(value);
    }
    out.end_array();
}

void write(jsonrpc::JsonWriter& out, const telemetry::SeriesLine& line) {
    out.begin_object();
    write_values(out, "calls", line.calls);
    write_values(out, "failures", line.failures);
    write_values(out, "p50_ms", line.p50_ms);
    write_values(out, "p99_ms", line.p99_ms);
    out.end_object();
}

}  // namespace

std::string json_of(const record::CallRecord& call, std::string_view policy_values) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("id").text(call.id).key("at").text(base::iso_time(call.at_ms));
    out.key("principal").text(call.principal);
    write_route(out, call, policy_values);
    out.key("queue_ms").number(ms(call.queue_us)).key("total_ms").number(ms(call.total_us));
    out.key("bytes_in").number(call.bytes_in).key("bytes_out").number(call.bytes_out);
    write_attempts(out, call.attempts);
    return out.end_object().take();
}

std::string json_of(const telemetry::NumberedEvent& numbered) {
    const record::Event& event = numbered.event;
    jsonrpc::JsonWriter out;
    out.begin_object()
        .key("seq")
        .number(numbered.number)
        .key("at")
        .text(base::iso_time(event.at_ms));
    out.key("kind").text(record::text_of(event.kind));
    out.text_unless_empty("server", event.server).text_unless_empty("subject", event.subject);
    out.text_unless_empty("what", event.what_text()).text_unless_empty("reason", event.reason);
    if (event.wait_ms >= 0) {
        out.key("wait_ms").number(event.wait_ms);
    }
    if (event.attempt > 0) {
        out.key("attempt").number(event.attempt);
    }
    if (event.max_attempts > 0) {
        out.key("max_attempts").number(event.max_attempts);
    }
    return out.text_unless_empty("call_id", event.call_id).end_object().take();
}

std::string calls_json(const std::vector<telemetry::ExplainedCalls::Call>& calls) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("calls").begin_array();
    for (const telemetry::ExplainedCalls::Call& call : calls) {
        out.raw(json_of(*call));
    }
    return out.end_array().end_object().take();
}

std::string events_json(const std::vector<telemetry::EventFeed::Item>& events, std::uint64_t last) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("events").begin_array();
    for (const telemetry::EventFeed::Item& event : events) {
        out.raw(json_of(*event));
    }
    return out.end_array().key("last").number(last).end_object().take();
}

std::string json_of(const telemetry::SeriesView& series) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("step_s").number(series.step_s);
    out.key("from").text(base::iso_time(series.from_ms)).key("servers").begin_object();
    for (const auto& [server, line] : series.servers) {
        out.key(server);
        write(out, line);
    }
    out.end_object().key("all");
    write(out, series.all);
    return out.end_object().take();
}

std::string timeline_json(const telemetry::CircuitTimeline::Changes& changes, std::int64_t from_ms,
                          std::int64_t to_ms) {
    jsonrpc::JsonWriter out;
    out.begin_object()
        .key("from")
        .text(base::iso_time(from_ms))
        .key("to")
        .text(base::iso_time(to_ms));
    out.key("circuits").begin_object();
    for (const auto& [circuit, list] : changes) {
        out.key(circuit).begin_array();
        for (const telemetry::CircuitChange& change : list) {
            out.begin_object().key("at").text(base::iso_time(change.at_ms));
            out.key("state").text(resilience::name_of(change.state)).end_object();
        }
        out.end_array();
    }
    return out.end_object().end_object().take();
}

}  // namespace holdfast::admin
