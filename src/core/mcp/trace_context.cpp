#include "mcp/trace_context.hpp"

#include <algorithm>

#include "jsonrpc/json_text.hpp"

namespace holdfast::mcp {
namespace {

constexpr std::size_t kParentLength = 55;  // 00-<32>-<16>-<2>
constexpr std::size_t kMaxStateLength = 512;

bool is_lower_hex(char byte) noexcept {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

bool is_zero(std::string_view digits) noexcept {
    return digits.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

bool is_traceparent(std::string_view text) noexcept {
    constexpr std::size_t kTrace = 3;
    constexpr std::size_t kSpan = 36;
    constexpr std::size_t kFlags = 53;
    if (text.size() != kParentLength || text.starts_with("ff") || text[kTrace - 1] != '-' ||
        text[kSpan - 1] != '-' || text[kFlags - 1] != '-') {
        return false;
    }
    const std::string_view trace = text.substr(kTrace, kSpan - 1 - kTrace);
    const std::string_view span = text.substr(kSpan, kFlags - 1 - kSpan);
    const auto is_hex = [](std::string_view digits) {
        return std::ranges::all_of(digits, is_lower_hex);
    };
    return is_hex(text.substr(0, 2)) && is_hex(trace) && is_hex(span) &&
           is_hex(text.substr(kFlags)) && !is_zero(trace) && !is_zero(span);
}

bool is_tracestate(std::string_view text) noexcept {
    return !text.empty() && text.size() <= kMaxStateLength &&
           std::ranges::all_of(text, [](char byte) { return byte >= ' ' && byte <= '~'; });
}

std::string trace_members(std::string_view traceparent, std::string_view tracestate) {
    std::string members;
    if (is_traceparent(traceparent)) {
        members.append(R"("traceparent":")").append(traceparent).append("\"");
        if (is_tracestate(tracestate)) {
            members.append(R"(,"tracestate":)");
            jsonrpc::append_quoted(members, tracestate);
        }
    }
    return members;
}

std::string trace_header_lines(std::string_view traceparent, std::string_view tracestate) {
    std::string lines;
    if (is_traceparent(traceparent)) {
        lines.append("traceparent: ").append(traceparent).append("\r\n");
        if (is_tracestate(tracestate)) {
            lines.append("tracestate: ").append(tracestate).append("\r\n");
        }
    }
    return lines;
}

}  // namespace holdfast::mcp
