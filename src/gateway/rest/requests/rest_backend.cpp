#include "rest/requests/rest_backend.hpp"

#include <utility>

#include "jsonrpc/json_text.hpp"

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
    std::string list = R"({"tools":[)";
    for (const RestTool& tool : api.tools) {
        list.append(list.ends_with('[') ? "" : ",").append(definition_of(tool));
    }
    return list + "]}";
}

void append_member(std::string& out, std::string_view key, const std::string& text) {
    if (!text.empty()) {
        out.append(",\"").append(key).append("\":");
        jsonrpc::append_quoted(out, text);
    }
}

// Derived from the semantics of the HTTP method unless the config says otherwise.
std::string annotations_of(const RestTool& tool) {
    const bool is_read_only = tool.is_read_only.value_or(tool.method == "GET");
    const bool is_idempotent =
        tool.is_idempotent.value_or(tool.method == "PUT" || tool.method == "DELETE");
    std::string text = R"({"readOnlyHint":)";
    text += is_read_only ? "true" : "false";
    if (!is_read_only) {
        text.append(R"(,"idempotentHint":)").append(is_idempotent ? "true" : "false");
    }
    return text + R"(,"openWorldHint":true})";
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
            warn_("tool \"" + tool.name + "\": the answer has no field \"" +
                  tool.text->fields()[field] + "\", so its text leaves it out");
        }
    }
}

std::string definition_of(const RestTool& tool) {
    std::string text = R"({"name":)" + jsonrpc::quoted_text(tool.name);
    append_member(text, "title", tool.title);
    append_member(text, "description", tool.description);
    text.append(R"(,"inputSchema":)").append(tool.input_schema);
    text.append(R"(,"annotations":)").append(annotations_of(tool));
    return text + '}';
}

}  // namespace holdfast::rest
