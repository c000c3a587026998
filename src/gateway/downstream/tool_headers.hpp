#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/listing.hpp"
#include "mcp/header_params.hpp"

namespace holdfast::downstream {

/// Which arguments of which tools a modern HTTP downstream wants repeated in headers. Tools without
/// any are not in it.
struct ToolHeaderTable {
    std::map<std::string, std::vector<mcp::HeaderParam>, std::less<>> params = {};
};

/// A tool that an HTTP downstream must not offer, and why.
struct InvalidTool {
    std::string name = {};
    std::string reason = {};
};

struct ToolHeaders {
    ToolHeaderTable table = {};
    std::vector<InvalidTool> invalid = {};  ///< To be dropped from the list.
};

/// What the annotations of the listed tools say.
[[nodiscard]] ToolHeaders tool_headers_of(std::span<const ListedEntry> tools);

/// Appends the header lines of one call. `params_members` is that of the request; arguments that
/// are absent or null give no line.
void append_tool_headers(std::string& head, std::span<const mcp::HeaderParam> params,
                         std::string_view params_members);

}  // namespace holdfast::downstream
