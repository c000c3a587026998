#pragma once

#include <string>
#include <string_view>

// The W3C trace context: which trace a request belongs to. MCP carries it in `_meta`, HTTP in
// headers. It is passed on, never made up.

namespace holdfast::mcp {

/// Whether it is a well-formed `traceparent`, so that it may go into a header.
[[nodiscard]] bool is_traceparent(std::string_view text) noexcept;
/// Whether it may go into a `tracestate` header: printable, and not longer than is usual.
[[nodiscard]] bool is_tracestate(std::string_view text) noexcept;

/// Members of `_meta` that say what these headers say; empty unless the first is well-formed.
[[nodiscard]] std::string trace_members(std::string_view traceparent, std::string_view tracestate);

/// Header lines that say what these members of `_meta` say (texts without quotes); empty unless the
/// first is well-formed.
[[nodiscard]] std::string trace_header_lines(std::string_view traceparent,
                                             std::string_view tracestate);

}  // namespace holdfast::mcp
