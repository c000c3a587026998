#include "gateway/failure.hpp"

#include <chrono>

#include "jsonrpc/json_text.hpp"
#include "mcp/edge_fault.hpp"

namespace holdfast::gateway {
namespace {

using downstream::CallFault;
using jsonrpc::append_quoted;
using resilience::Delivery;

FailureCode code_of(CallFault::Kind kind) {
    switch (kind) {
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

bool is_retryable(FailureCode code, const CallFault& fault) {
    switch (code) {
        case FailureCode::unauthorized:
        case FailureCode::result_too_large:
        case FailureCode::tool_not_found:
            return false;
        case FailureCode::downstream_error:
            return fault.http_status >= 500;
        default:
            return true;
    }
}

// Rounded up: an agent that waits this long does not come too early.
std::int64_t whole_seconds(resilience::Duration duration) {
    return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
    if (!text.empty()) {
        out.append(",\"").append(key).append("\":");
        append_quoted(out, text);
    }
}

}  // namespace

std::string_view text_of(FailureCode code) noexcept {
    switch (code) {
        case FailureCode::timeout:
            return "TIMEOUT";
        case FailureCode::connection_lost:
            return "CONNECTION_LOST";
        case FailureCode::malformed_response:
            return "MALFORMED_RESPONSE";
        case FailureCode::downstream_error:
            return "DOWNSTREAM_ERROR";
        case FailureCode::rate_limited:
            return "RATE_LIMITED";
        case FailureCode::overloaded:
            return "OVERLOADED";
        case FailureCode::unauthorized:
            return "UNAUTHORIZED";
        case FailureCode::result_too_large:
            return "RESULT_TOO_LARGE";
        case FailureCode::tool_not_found:
            return "TOOL_NOT_FOUND";
        case FailureCode::shutting_down:
            return "SHUTTING_DOWN";
    }
    return "DOWNSTREAM_ERROR";
}

Failure failure_of(const CallFault& fault, std::string_view server, bool is_safe) {
    const FailureCode code = code_of(fault.kind);
    Failure failure{.code = code, .server = std::string{server}, .message = fault.message};
    failure.may_have_side_effects = fault.delivery == Delivery::sent && !is_safe;
    failure.is_retryable = is_retryable(code, fault) && !failure.may_have_side_effects;
    failure.retry_after = fault.retry_after;
    return failure;
}

std::string json_of(const Failure& failure) {
    std::string text = R"({"code":")";
    text.append(text_of(failure.code)).append("\"");
    append_member(text, "tool", failure.tool);
    append_member(text, "server", failure.server);
    append_member(text, "message", failure.message);
    text.append(R"(,"retryable":)").append(failure.is_retryable ? "true" : "false");
    if (failure.retry_after) {
        text.append(R"(,"retryAfter":)")
            .append(std::to_string(whole_seconds(*failure.retry_after)));
    }
    text.append(R"(,"sideEffects":")");
    text.append(failure.may_have_side_effects ? "possible" : "none").append("\"}");
    return text;
}

std::string words_of(const Failure& failure) {
    std::string words;
    if (!failure.tool.empty()) {
        words.append("The tool \"").append(failure.tool).append("\" gave no answer: ");
    }
    words.append(failure.message);
    if (!words.ends_with('.')) {
        words += '.';
    }
    if (failure.may_have_side_effects) {
        words +=
            " The request was sent, so it may have had an effect: check by reading before you "
            "repeat it.";
    } else if (failure.is_retryable && failure.retry_after) {
        words.append(" Try again in ").append(std::to_string(whole_seconds(*failure.retry_after)));
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

}  // namespace holdfast::gateway
