#include "rest/requests/rest_backend.hpp"

#include <fmt/core.h>

#include <utility>

#include "jsonrpc/json_writer.hpp"

namespace holdfast::rest {
namespace {

std::unordered_map<std::string_view, const RestTool*> table_of(const RestApi& api) {
    std::unordered_map<std::string_view, const RestTool*> table;
    for (const RestTool& tool : api.tools) {
        table.emplace(tool.name, &tool);
    }
    return table;
}

std::string list_of(const RestApi& api) {
    jsonrpc::JsonWriter writer;
    writer.begin_object().key("tools").begin_array();
    for (const RestTool& tool : api.tools) {
        writer.raw(definition_of(tool));
    }
    writer.end_array().end_object();
    return writer.take();
}

// Derived from the semantics of the HTTP method unless the config says otherwise.
std::string annotations_of(const RestTool& tool) {
    const bool is_read_only = tool.is_read_only.value_or(tool.method == "GET");
    const bool is_idempotent =
        tool.is_idempotent.value_or(tool.method == "PUT" || tool.method == "DELETE");
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("readOnlyHint").boolean(is_read_only);
    if (!is_read_only) {
        writer.key("idempotentHint").boolean(is_idempotent);
    }
    writer.key("openWorldHint").boolean(true).end_object();
    return writer.take();
}

}  // namespace

RestBackend::RestBackend(RestApi api, std::shared_ptr<net::HttpClient> client,
                         std::function<void(const std::string&)> warn)
    : api_(std::move(api)),
      client_(std::move(client)),
      tools_(table_of(api_)),
      tool_list_(list_of(api_)),
      warn_(std::move(warn)) {}

const RestTool* RestBackend::find_tool(std::string_view name) const {
    const auto found = tools_.find(name);
    return found == tools_.end() ? nullptr : found->second;
}

void RestBackend::warn_of_missing(const RestTool& tool,
                                  const std::vector<std::size_t>& fields) const {
    for (const std::size_t field : fields) {
        const bool is_new =
            warned_.with([&](auto& warned) { return warned.emplace(&tool, field).second; });
        if (is_new && warn_) {
            warn_(fmt::format(
                "tool \"{}\": the answer has no field \"{}\", so its text leaves it out", tool.name,
                tool.text->fields()[field]));
        }
    }
}

std::string definition_of(const RestTool& tool) {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("name").text(tool.name);
    writer.text_unless_empty("title", tool.title);
    writer.text_unless_empty("description", tool.description);
    writer.key("inputSchema").raw(tool.input_schema);
    writer.key("annotations").raw(annotations_of(tool));
    writer.end_object();
    return writer.take();
}

}  // namespace holdfast::rest
