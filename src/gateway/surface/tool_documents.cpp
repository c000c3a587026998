#include "surface/tool_documents.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/text_cut.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::surface {
namespace {

namespace json = boost::json;

/// Longer schemas are not indexed: their text would say little about the tool.
constexpr std::size_t kMaxReadSchemaBytes = std::size_t{256} * 1024;
constexpr std::size_t kMaxReadParameters = 200;

std::string text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string{} : std::string{text->begin(), text->end()};
}

std::vector<search::ToolParameter> parameters_in(std::string_view schema_text) {
    std::vector<search::ToolParameter> parameters;
    if (schema_text.empty() || schema_text.size() > kMaxReadSchemaBytes) {
        return parameters;
    }
    json::error_code error;
    const json::value schema = json::parse({schema_text.data(), schema_text.size()}, error);
    const json::object* object = error ? nullptr : schema.if_object();
    const json::value* properties = object == nullptr ? nullptr : object->if_contains("properties");
    if (properties == nullptr || !properties->is_object()) {
        return parameters;
    }
    for (const auto& [name, property] : properties->get_object()) {
        if (parameters.size() == kMaxReadParameters) {
            break;
        }
        const json::object* about = property.if_object();
        parameters.push_back(
            {.name = name,
             .description = about == nullptr ? std::string{} : text_at(*about, "description")});
    }
    return parameters;
}

std::string decoded_text(std::optional<std::string_view> value) {
    return value && value->starts_with('"') ? jsonrpc::decoded(*value) : std::string{};
}

}  // namespace

std::vector<search::ToolDocument> documents_of(const Surface& surface) {
    std::vector<search::ToolDocument> documents;
    const auto items = surface.catalogue(ListKind::tools).items();
    documents.reserve(items.size());
    for (const catalogue::Item& item : items) {
        const jsonrpc::PaddedText text{std::string{item.shown()}};
        const jsonrpc::ObjectView definition =
            jsonrpc::part_reader().read_object(text, text.view());
        documents.push_back(
            {.id = item.exposed_name,
             .name = std::string{item.name},
             .server = std::string{item.server},
             .description = decoded_text(definition.find("description")),
             .parameters = parameters_in(definition.find("inputSchema").value_or(""))});
    }
    return documents;
}

search::ListedTool listed_tool(const Callable& tool) {
    return {.id = tool.exposed_name, .server = tool.server->name};
}

std::vector<search::ListedTool> catalogue_of(const Surface& surface, std::string_view server) {
    std::vector<search::ListedTool> tools;
    tools.reserve(surface.tools().size());
    for (const Callable& tool : surface.tools()) {
        if (server.empty() || tool.server->name == server) {
            tools.push_back(listed_tool(tool));
        }
    }
    return tools;
}

std::string shown_description(std::string_view definition, std::size_t max_bytes) {
    const jsonrpc::PaddedText text{std::string{definition}};
    return shown_text(
        decoded_text(jsonrpc::part_reader().read_object(text, text.view()).find("description")),
        max_bytes);
}

std::string shown_text(std::string_view written, std::size_t max_bytes) {
    std::string shown;
    shown.reserve(std::min(written.size(), max_bytes) + 4);
    for (std::size_t at = 0; at < written.size(); ++at) {
        const auto byte = static_cast<unsigned char>(written[at]);
        const bool is_end = shown.size() >= max_bytes && !base::continues_character(written[at]);
        if (is_end) {
            return shown + "…";
        }
        // C1 controls are two bytes in UTF-8: C2 80 to C2 9F.
        const bool is_c1 = byte == 0xC2U && at + 1 < written.size() &&
                           static_cast<unsigned char>(written[at + 1]) < 0xA0U;
        const bool is_space = byte < 0x20U || byte == 0x7FU || byte == ' ' || is_c1;
        at += is_c1 ? 1 : 0;
        if (!is_space) {
            shown += written[at];
        } else if (!shown.empty() && shown.back() != ' ') {
            shown += ' ';
        }
    }
    return shown;
}

}  // namespace holdfast::surface
