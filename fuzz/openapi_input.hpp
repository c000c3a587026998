#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "rest/json_path.hpp"
#include "rest/openapi.hpp"
#include "rest/requests/request_builder.hpp"
#include "rest/requests/tool_reader.hpp"

namespace holdfast::fuzz {

/// Runs an input: the first line is the arguments of a call, the rest a document. Aborts if a
/// request is ambiguous.
inline void run_openapi_input(std::string_view input) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const auto json = rest::JsonText::checked(input.substr(0, end));
    const auto tools = rest::tools_of_openapi(input.substr(std::min(end + 1, input.size())), {});
    const auto arguments = rest::Arguments::read(json ? json->whole() : "{}");
    if (!tools || !arguments) {
        return;
    }
    for (const rest::RestTool& tool : tools->tools) {
        if (!rest::is_tool_name(tool.name) || !rest::JsonText::checked(tool.input_schema)) {
            std::abort();
        }
        const auto request = rest::built_request({}, tool, *arguments);
        if (!request) {
            continue;
        }
        const std::string_view target = request->target;
        const std::string_view path = target.substr(0, target.find('?'));
        const bool is_plain = std::ranges::all_of(
            target, [](char character) { return character > ' ' && character < '\x7F'; });
        const bool leads_away =
            path.find("/../") != std::string_view::npos || path.ends_with("/..");
        const bool is_body = request->body.empty() || rest::JsonText::checked(request->body);
        if (!target.starts_with('/') || !is_plain || leads_away || !is_body) {
            std::abort();
        }
    }
}

}  // namespace holdfast::fuzz
