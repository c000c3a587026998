#include "calls/failure.hpp"

#include <algorithm>
#include <chrono>

#include "jsonrpc/json_text.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using jsonrpc::append_quoted;

void append_member(std::string& out, std::string_view key, std::string_view text) {
    if (!text.empty()) {
        out.append(",\"").append(key).append("\":");
        append_quoted(out, text);
    }
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
    std::string text = R"({"code":")";
    text.append(text_of(failure.code)).append("\"");
    append_member(text, "tool", failure.tool);
    append_member(text, "server", failure.server);
    append_member(text, "message", failure.message);
    text.append(R"(,"retryable":)").append(failure.is_retryable ? "true" : "false");
    if (failure.retry_after) {
        text.append(R"(,"retryAfter":)").append(std::to_string(wait_seconds(*failure.retry_after)));
    }
    text.append(R"(,"sideEffects":")");
    text.append(failure.may_have_side_effects ? "possible" : "none").append("\"");
    if (!failure.more_members.empty()) {
        text.append(",").append(failure.more_members);
    }
    return text + '}';
}

std::string words_of(const Failure& failure) {
    if (!failure.words.empty()) {
        return failure.words;
    }
    std::string words;
    if (!failure.tool.empty()) {
        words.append("The tool \"").append(failure.tool).append("\" failed: ");
    }
    words.append(failure.message);
    if (!words.ends_with('.')) {
        words += '.';
    }
    if (failure.may_have_side_effects) {
        words.append(" ").append(kMayHaveTakenEffect);
    } else if (failure.is_retryable && failure.retry_after) {
        words.append(" Try again in ").append(std::to_string(wait_seconds(*failure.retry_after)));
        words.append(" s.");
    } else if (failure.is_retryable) {
        words += " It is safe to try again.";
    }
    return words;
}

std::string tool_result_of(const Failure& failure, bool with_structure) {
    const std::string object = json_of(failure);
    std::string text = R"({"content":[{"type":"text","text":)";
    append_quoted(text, words_of(failure));
    text += R"(},{"type":"text","text":)";
    append_quoted(text, object);
    text += "}],";
    if (with_structure) {
        text.append(R"("structuredContent":)").append(object).append(",");
    }
    text.append(R"("isError":true,"_meta":{"dev.holdfast/failure":)").append(object).append("}}");
    return text;
}

std::string error_object_of(const Failure& failure) {
    std::string text = R"({"code":)";
    text.append(std::to_string(mcp::kInternalError)).append(R"(,"message":)");
    append_quoted(text, words_of(failure));
    text.append(R"(,"data":)").append(json_of(failure)).append("}");
    return text;
}

}  // namespace holdfast::calls
