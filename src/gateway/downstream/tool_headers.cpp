#include "downstream/tool_headers.hpp"

#include <boost/json/parse.hpp>
#include <optional>
#include <utility>

#include "mcp/header_value.hpp"

namespace holdfast::downstream {
namespace {

namespace json = boost::json;

std::optional<json::value> parsed(std::string_view text) {
    constexpr std::size_t kMaxDepth = 512;
    json::parse_options options;
    options.max_depth = kMaxDepth;
    boost::system::error_code error;
    json::value value = json::parse(text, error, {}, options);
    return error ? std::nullopt : std::optional{std::move(value)};
}

// Returns null if the value is not an object or lacks the member.
const json::value* member(const json::value& value, std::string_view name) {
    const json::object* object = value.if_object();
    return object != nullptr ? object->if_contains(name) : nullptr;
}

void add_tool(ToolHeaders& headers, const ListedEntry& tool) {
    const auto definition = parsed(tool.definition);
    const json::value* schema = definition ? member(*definition, "inputSchema") : nullptr;
    if (schema == nullptr) {
        return;
    }
    auto params = mcp::header_params(*schema);
    if (!params) {
        headers.invalid.push_back({.name = tool.key, .reason = params.error().message});
    } else if (!params->empty()) {
        headers.table.params.emplace(tool.key, std::move(*params));
    }
}

}  // namespace

ToolHeaders tool_headers_of(std::span<const ListedEntry> tools) {
    ToolHeaders headers;
    for (const ListedEntry& tool : tools) {
        add_tool(headers, tool);
    }
    return headers;
}

void append_tool_headers(std::string& head, std::span<const mcp::HeaderParam> params,
                         std::string_view params_members) {
    std::string text{"{"};
    text.append(params_members).push_back('}');
    const auto whole = parsed(text);
    const json::value* arguments = whole ? member(*whole, "arguments") : nullptr;
    if (arguments == nullptr) {
        return;
    }
    for (const mcp::HeaderParam& param : params) {
        if (const auto value = mcp::header_text_of(param, *arguments)) {
            head.append(param.header).append(": ");
            head.append(mcp::header_value_of(*value)).append("\r\n");
        }
    }
}

}  // namespace holdfast::downstream
