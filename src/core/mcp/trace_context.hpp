#pragma once

#include <string>
#include <string_view>

// The W3C trace context: the trace that a request belongs to. MCP carries it in `_meta`, HTTP in
// headers. The gateway passes it on and never creates one.

namespace holdfast::mcp {

/// Returns whether the text is a well-formed `traceparent`, so that it may be sent in a header.
[[nodiscard]] bool is_traceparent(std::string_view text) noexcept;
/// Returns whether the text may be sent in a `tracestate` header: printable, and not longer than
/// usual.
[[nodiscard]] bool is_tracestate(std::string_view text) noexcept;

/// Converts these headers to members of `_meta`. Empty unless `traceparent` is well-formed.
[[nodiscard]] std::string trace_members(std::string_view traceparent, std::string_view tracestate);

/// Converts these members of `_meta` (texts without quotes) to header lines. Empty unless
/// `traceparent` is well-formed.
[[nodiscard]] std::string trace_header_lines(std::string_view traceparent,
                                             std::string_view tracestate);

}  // namespace holdfast::mcp
