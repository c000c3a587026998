#include "rest/requests/tool_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/nearest_name.hpp"
#include "config/key_table.hpp"
#include "config/node_json.hpp"
#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"
#include "jsonrpc/json_writer.hpp"
#include "rest/answers/answer_keys.hpp"
#include "rest/requests/value_reader.hpp"

namespace holdfast::rest {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;

constexpr std::size_t kMaxNameBytes = 128;

constexpr std::array<config::NamedChoice<std::string_view>, 5> kMethods = {{
    {.name = "GET", .choice = "GET"},
    {.name = "POST", .choice = "POST"},
    {.name = "PUT", .choice = "PUT"},
    {.name = "PATCH", .choice = "PATCH"},
    {.name = "DELETE", .choice = "DELETE"},
}};

Node method_schema() {
    std::vector<std::string_view> names;
    names.reserve(kMethods.size());
    for (const auto& method : kMethods) {
        names.push_back(method.name);
    }
    return config::with_default(config::choice_schema(names), config::text_node("GET"));
}

Node any_object_schema() {
    return config::object_node({{"type", config::text_node("object")}});
}

Node text_or_lines_schema() {
    return config::one_or_list_schema(config::text_schema());
}

Node any_schema() {
    return config::object_node({});
}

void refuse_entry(const ObjectReader& reader, const std::string& message) {
    reader.report().refuse(reader.object().place, reader.path() + ": " + message);
}

void read_name(ObjectReader& reader, std::string_view key, RestTool& tool) {
    const Node* name = reader.find(key);
    if (name == nullptr) {
        refuse_entry(reader, "a tool needs \"name\"");
        return;
    }
    reader.read_text(key, tool.name);
    if (name->kind == NodeKind::text && !is_tool_name(tool.name)) {
        reader.refuse(*name, key,
                      "must be between 1 and 128 letters, digits, \"_\", \"-\" or \".\"");
    }
}

void read_method(ObjectReader& reader, std::string_view key, RestTool& tool) {
    tool.method = reader.read_choice<std::string_view>(key, kMethods).value_or("GET");
}

void read_path(ObjectReader& reader, std::string_view key, RestTool& tool) {
    const Node* path = reader.find(key);
    if (path == nullptr) {
        refuse_entry(reader, "a tool needs \"path\", as in \"/items/{id}\"");
        return;
    }
    std::string text;
    reader.read_text(key, text);
    if (path->kind != NodeKind::text) {
        return;
    }
    auto parsed = PathTemplate::parsed(text);
    if (parsed) {
        tool.path = std::move(*parsed);
    } else {
        reader.refuse(*path, key, parsed.error().message);
    }
}

void read_query(ObjectReader& reader, std::string_view key, RestTool& tool) {
    read_named_values(reader, key, false, tool.query);
}

void read_headers(ObjectReader& reader, std::string_view key, RestTool& tool) {
    read_named_values(reader, key, true, tool.headers);
}

void read_body(ObjectReader& reader, std::string_view key, RestTool& tool) {
    const Node* body = reader.find(key);
    if (body == nullptr) {
        return;
    }
    if (body->kind == NodeKind::text && body->text == "none") {
        tool.has_no_body = true;
    } else if (body->kind == NodeKind::text && !argument_named_by(body->text)) {
        reader.refuse(*body, key,
                      R"(must be an object, one argument as in "{document}", or "none")");
    } else {
        tool.body.emplace(*body);
    }
}

/// A tool without a schema takes the arguments of its path.
std::string schema_of_path(const PathTemplate& path) {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("type").text("object");
    writer.key("properties").begin_object();
    for (const std::string_view name : path.parameters()) {
        writer.key(name).raw(R"({"type":"string"})");
    }
    writer.end_object().key("required").begin_array();
    for (const std::string_view name : path.parameters()) {
        writer.text(name);
    }
    writer.end_array().end_object();
    return writer.take();
}

std::vector<std::string_view> used_arguments(const RestTool& tool) {
    std::vector<std::string_view> names = tool.path.parameters();
    for (const auto* places : {&tool.query, &tool.headers}) {
        for (const NamedValue& place : *places) {
            if (!place.argument.empty()) {
                names.emplace_back(place.argument);
            }
        }
    }
    if (tool.body) {
        std::ranges::copy(tool.body->parameters(), std::back_inserter(names));
    }
    return names;
}

/// Rejects placeholders for arguments that the schema does not declare: agents could never pass
/// them.
void check_arguments(const ObjectReader& reader, const Node& input, const RestTool& tool) {
    const Node* properties = input.find("properties");
    std::vector<std::string_view> known;
    if (properties != nullptr) {
        for (const config::Member& member : properties->members) {
            known.emplace_back(member.key);
        }
    }
    for (const std::string_view name : used_arguments(tool)) {
        if (std::ranges::find(known, name) != known.end()) {
            continue;
        }
        const auto meant = base::likely_name(name, known);
        reader.refuse_together(
            {"path", "query", "headers", "body"},
            fmt::format("uses the argument \"{}\", which is not in \"input.properties\"{}",
                        config::printable(name),
                        meant ? fmt::format("; did you mean \"{}\"?", *meant) : ""));
    }
}

void read_input(ObjectReader& reader, std::string_view key, RestTool& tool) {
    const Node* input = reader.find_object(key);
    if (input == nullptr) {
        tool.input_schema = schema_of_path(tool.path);
        return;
    }
    const Node* type = input->find("type");
    if (type == nullptr || type->text != "object") {
        reader.refuse(*input, key, R"(must be a JSON Schema with "type": "object")");
    }
    tool.input_schema = config::json_of(*input);
    check_arguments(reader, *input, tool);
}

void read_result(ObjectReader& reader, std::string_view key, RestTool& tool) {
    const Node* value = reader.find(key);
    std::string text;
    reader.read_text(key, text);
    if (value == nullptr || value->kind != NodeKind::text) {
        return;
    }
    if (auto path = parsed_path(text)) {
        tool.result = std::move(*path);
    } else {
        reader.refuse(*value, key, R"(must be a path, as in "data.items" or "/data/items")");
    }
}

void read_error_detail(ObjectReader& reader, std::string_view key, RestTool& tool) {
    read_paths(reader, key, tool.error_detail);
}

using ToolKey = config::Key<RestTool>;

/// The keys of a tool, in the order in which they are read: `input` needs the ones before it.
constexpr std::array kToolKeys = {
    ToolKey{.info = {.name = "name",
                     .description = "The name that agents see",
                     .schema = config::text_schema,
                     .is_required = true},
            .read = read_name},
    config::key<config::TextKind, &RestTool::title>("title", "The title that agents see"),
    config::key<config::TextKind, &RestTool::description>("description",
                                                          "The description that agents see"),
    ToolKey{.info = {.name = "method", .description = "The HTTP method", .schema = method_schema},
            .read = read_method},
    ToolKey{.info = {.name = "path",
                     .description = "The path, with arguments in braces. Arguments are escaped; "
                                    "one that could leave its path segment is rejected",
                     .schema = config::text_schema,
                     .is_required = true},
            .read = read_path},
    ToolKey{.info = {.name = "query",
                     .description =
                         "Names and values; `\"{name}\"` is an argument, anything else is sent "
                         "unchanged. A list becomes one parameter per item",
                     .schema = named_values_schema},
            .read = read_query},
    ToolKey{.info = {.name = "headers",
                     .description = "Headers of the request, like `query`",
                     .schema = named_values_schema},
            .read = read_headers},
    ToolKey{.info = {.name = "body",
                     .description = "JSON in which `\"{name}\"` is an argument; a single "
                                    "argument; or `none`",
                     .schema = any_schema},
            .read = read_body},
    ToolKey{.info = {.name = "input",
                     .description = "A JSON Schema of the arguments. Default: the arguments of the "
                                    "path",
                     .schema = any_object_schema},
            .read = read_input},
    config::key<config::FlagKind, &RestTool::is_read_only>(
        "readOnly", "Whether a call changes nothing. Default: by the method"),
    config::key<config::FlagKind, &RestTool::is_idempotent>(
        "idempotent", "Whether a call can be repeated safely. Default: by the method"),
    ToolKey{.info = {.name = "result",
                     .description = "The part of the answer that is the result: `data.items.0`, or "
                                    "`/data/items/0`. Default: the whole answer",
                     .schema = config::text_schema},
            .read = read_result},
    ToolKey{.info = {.name = "errorDetail",
                     .description = "As for the server, which is the default",
                     .schema = paths_schema},
            .read = read_error_detail},
    ToolKey{.info = {.name = "text",
                     .description = "A template for the text of the result, as one string or a "
                                    "list of lines. Default: the JSON",
                     .schema = text_or_lines_schema},
            .read = read_answer_text},
    ToolKey{.info = {.name = "check",
                     .description =
                         "A JSON Schema for rules over several arguments, applied after `input`. "
                         "It is not listed, because many clients and model APIs accept only flat "
                         "schemas. Its `description` is required: agents get it with "
                         "`INVALID_ARGUMENTS` if their arguments violate the rule. Null members "
                         "count as absent",
                     .schema = any_object_schema},
            .read = read_check},
    config::key<config::ChoiceKind<AnswerForm>, &RestTool::expects>(
        "expects", "As for the server, which is the default"),
};

}  // namespace

Node tools_schema() {
    return config::list_schema(config::object_schema(config::infos_of(kToolKeys)));
}

bool is_tool_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= kMaxNameBytes && std::ranges::all_of(name, [](char one) {
        return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') ||
               (one >= '0' && one <= '9') || one == '_' || one == '-' || one == '.';
    });
}

std::optional<RestTool> read_tool(config::FaultReport& report, const Node& entry,
                                  const std::string& path) {
    if (entry.kind != NodeKind::object) {
        report.refuse(
            entry.place,
            fmt::format("{}: must be an object with \"name\", \"method\" and \"path\", not {}",
                        path, config::kind_phrase(entry)));
        return std::nullopt;
    }
    ObjectReader reader{report, entry, path};
    RestTool tool;
    config::read_object(reader, kToolKeys, tool);
    return tool;
}

}  // namespace holdfast::rest
