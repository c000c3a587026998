#include "surface/rendered_item.hpp"

#include <fmt/core.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "surface/argument_schema.hpp"

namespace holdfast::surface {
namespace {

namespace json = boost::json;
using jsonrpc::ObjectEdit;
using jsonrpc::ObjectView;
using jsonrpc::quoted_text;

std::optional<json::value> parsed(std::optional<std::string_view> text) {
    if (!text) {
        return std::nullopt;
    }
    json::error_code error;
    json::value value = json::parse({text->data(), text->size()}, error);
    return error ? std::nullopt : std::optional{std::move(value)};
}

bool is_true(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_bool() && value->get_bool();
}

void read_annotations(const ObjectView& definition, Callable& callable) {
    const auto annotations = parsed(definition.find("annotations"));
    const json::object* object = annotations ? annotations->if_object() : nullptr;
    if (object != nullptr) {
        callable.is_read = is_true(*object, "readOnlyHint");
        callable.is_safe = callable.is_read || is_true(*object, "idempotentHint");
        callable.is_destructive = is_true(*object, "destructiveHint");
    }
}

bool demands_task(const ObjectView& definition) {
    const auto execution = parsed(definition.find("execution"));
    const json::object* object = execution ? execution->if_object() : nullptr;
    const json::value* support = object != nullptr ? object->if_contains("taskSupport") : nullptr;
    return support != nullptr && support->is_string() && support->get_string() == "required";
}

bool describes_object(std::string_view schema) {
    const auto value = parsed(schema);
    const json::object* object = value ? value->if_object() : nullptr;
    const json::value* type = object != nullptr ? object->if_contains("type") : nullptr;
    return type != nullptr && type->is_string() && type->get_string() == "object";
}

std::vector<mcp::HeaderParam> header_params_of(const ObjectView& definition) {
    const auto schema_text = definition.find("inputSchema");
    if (!schema_text || schema_text->find("x-mcp-header") == std::string_view::npos) {
        return {};
    }
    const auto schema = parsed(schema_text);
    auto params = schema ? mcp::header_params(*schema)
                         : mcp::Result<std::vector<mcp::HeaderParam>, mcp::HeaderParamFault>{
                               std::vector<mcp::HeaderParam>{}};
    return params ? std::move(*params) : std::vector<mcp::HeaderParam>{};
}

bool has_text(std::optional<std::string_view> description) {
    return description && description->starts_with('"') && description->size() > 2;
}

// Owns the texts that an edit refers to until the edit is rendered.
struct Replacements {
    std::string name;
    std::string title;
    std::string description;
};

void expose(ObjectEdit& edit, const ObjectView& definition, const catalogue::Item& item,
            Replacements& texts, std::string_view kind) {
    texts.name = quoted_text(item.exposed_name);
    edit.set("name", texts.name);
    if (!has_text(definition.find("description"))) {
        texts.description = quoted_text(fmt::format("{} {} of {}; its server gives no description.",
                                                    kind, item.name, item.server));
        edit.set("description", texts.description);
    }
    // A name that had to be cut keeps its full form in the title.
    if (!item.exposed_name.ends_with(item.name) && !definition.find("title")) {
        texts.title = quoted_text(item.name);
        edit.set("title", texts.title);
    }
}

Callable callable_of(const catalogue::Item& item) {
    return {.own_name = std::string{item.name}, .exposed_name = item.exposed_name};
}

}  // namespace

RenderedItem rendered_tool(const catalogue::Item& item) {
    const jsonrpc::PaddedText text{std::string{item.shown()}};
    const ObjectView definition = jsonrpc::part_reader().read_object(text, text.view());
    const auto output_schema = definition.find("outputSchema");
    Replacements texts;

    RenderedItem rendered{.callable = callable_of(item)};
    read_annotations(definition, rendered.callable);
    rendered.callable.has_output_schema = output_schema.has_value();
    rendered.callable.needs_task = demands_task(definition);
    rendered.callable.arguments = std::make_shared<const ArgumentSchema>(item.definition);
    rendered.callable.header_params = header_params_of(definition);
    ObjectEdit edit{definition};
    expose(edit, definition, item, texts, "Tool");
    // The gateway runs the tasks of the core protocol itself, so agents must not request one.
    edit.remove("execution");
    rendered.modern = edit.text();
    if (output_schema && !describes_object(*output_schema)) {
        edit.remove("outputSchema");
        rendered.legacy = edit.text();
    }
    return rendered;
}

std::string with_always_load(std::string_view definition) {
    constexpr std::string_view kKey = "anthropic/alwaysLoad";
    const jsonrpc::PaddedText text{std::string{definition}};
    jsonrpc::MessageReader reader;
    const ObjectView object = reader.read_object(text, text.view());
    const std::string before{object.find("_meta").value_or("{}")};
    if (!before.starts_with('{')) {
        return std::string{definition};
    }
    const jsonrpc::PaddedText meta_text{before};
    const ObjectView meta = jsonrpc::part_reader().read_object(meta_text, meta_text.view());
    if (meta.find(kKey)) {
        return std::string{definition};
    }
    const std::string meta_after = ObjectEdit{meta}.set(kKey, "true").text();
    return ObjectEdit{object}.set("_meta", meta_after).text();
}

RenderedItem rendered_prompt(const catalogue::Item& item) {
    const jsonrpc::PaddedText text{std::string{item.shown()}};
    const ObjectView definition = jsonrpc::part_reader().read_object(text, text.view());
    Replacements texts;

    RenderedItem rendered{.callable = callable_of(item)};
    rendered.callable.is_read = true;
    rendered.callable.is_safe = true;
    ObjectEdit edit{definition};
    expose(edit, definition, item, texts, "Prompt");
    rendered.modern = edit.text();
    return rendered;
}

}  // namespace holdfast::surface
