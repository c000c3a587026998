#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/listing.hpp"
#include "mcp/header_params.hpp"

namespace holdfast::downstream {

/// The arguments that a modern HTTP downstream wants repeated in headers, by tool. Tools without
/// such arguments are not in the table.
struct ToolHeaderTable {
    std::map<std::string, std::vector<mcp::HeaderParam>, std::less<>> params = {};
};

/// A tool that an HTTP downstream must not offer, and the reason.
struct InvalidTool {
    std::string name = {};
    std::string reason = {};
};

struct ToolHeaders {
    ToolHeaderTable table = {};
    std::vector<InvalidTool> invalid = {};  ///< To be removed from the list.
};

/// Reads the annotations of the listed tools.
[[nodiscard]] ToolHeaders tool_headers_of(std::span<const ListedEntry> tools);

/// Appends the header lines of one call. `params_members` is that of the request; absent and null
/// arguments produce no line.
void append_tool_headers(std::string& head, std::span<const mcp::HeaderParam> params,
                         std::string_view params_members);

}  // namespace holdfast::downstream
