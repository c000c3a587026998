#include "calls/failure.hpp"

#include <algorithm>
#include <chrono>

#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using jsonrpc::JsonWriter;

void write_text_item(JsonWriter& writer, std::string_view text) {
    writer.begin_object();
    writer.key("type").text("text");
    writer.key("text").text(text);
    writer.end_object();
}

/// Returns the failure without its message, which the model has read before, and without empty
/// members.
std::string brief_object(const std::string& object) {
    const jsonrpc::PaddedText text{object};
    JsonWriter writer;
    writer.begin_object();
    for (const jsonrpc::Field& field :
         jsonrpc::part_reader().read_object(text, text.view()).fields()) {
        const bool is_empty = field.value == "[]" || field.value == "{}" || field.value == R"("")";
        if (field.key != "message" && !is_empty) {
            writer.key(field.key).raw(field.value);
        }
    }
    return writer.end_object().take();
}

}  // namespace

FailureCode code_of(const CallFault& fault) noexcept {
    switch (fault.kind) {
        case CallFault::Kind::timed_out:
        case CallFault::Kind::cancelled:
            return FailureCode::timeout;
        case CallFault::Kind::not_connected:
        case CallFault::Kind::unreachable:
        case CallFault::Kind::connection_lost:
            return FailureCode::connection_lost;
        case CallFault::Kind::malformed:
            return FailureCode::malformed_response;
        case CallFault::Kind::http_status:
            return FailureCode::downstream_error;
        case CallFault::Kind::unauthorized:
            return FailureCode::unauthorized;
        case CallFault::Kind::rate_limited:
            return FailureCode::rate_limited;
        case CallFault::Kind::overloaded:
            return FailureCode::overloaded;
        case CallFault::Kind::too_large:
            return FailureCode::result_too_large;
        case CallFault::Kind::stopping:
            return FailureCode::shutting_down;
    }
    return FailureCode::downstream_error;
}

std::int64_t whole_seconds(resilience::Duration duration) {
    return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

std::int64_t wait_seconds(resilience::Duration wait) {
    return std::max<std::int64_t>(1, whole_seconds(wait));
}

std::string json_of(const Failure& failure) {
    JsonWriter writer;
    writer.begin_object();
    writer.key("code").text(text_of(failure.code));
    writer.text_unless_empty("tool", failure.tool);
    writer.text_unless_empty("server", failure.server);
    writer.text_unless_empty("message", failure.message);
    writer.key("retryable").boolean(failure.is_retryable);
    if (failure.retry_after) {
        writer.key("retryAfter").number(wait_seconds(*failure.retry_after));
    }
    writer.key("sideEffects").text(failure.may_have_side_effects ? "possible" : "none");
    if (!failure.more_members.empty()) {
        writer.raw(failure.more_members);
    }
    writer.end_object();
    return writer.take();
}

std::string tool_result_of(const Failure& failure) {
    const std::string object = json_of(failure);
    JsonWriter writer;
    writer.begin_object().key("content").begin_array();
    write_text_item(writer, words_of(failure));
    write_text_item(writer, brief_object(object));
    writer.end_array();
    writer.key("isError").boolean(true);
    writer.key("_meta").begin_object().key("dev.holdfast/failure").raw(object).end_object();
    writer.end_object();
    return writer.take();
}

std::string error_object_of(const Failure& failure) {
    JsonWriter writer;
    writer.begin_object();
    writer.key("code").number(mcp::kInternalError);
    writer.key("message").text(words_of(failure));
    writer.key("data").raw(json_of(failure));
    writer.end_object();
    return writer.take();
}

}  // namespace holdfast::calls
