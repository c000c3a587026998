#include "rest/openapi/openapi_schemas.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <utility>

namespace holdfast::rest {
namespace {

namespace json = boost::json;

constexpr int kMaxSteps = 8;
constexpr std::string_view kSchemas = "#/components/schemas/";

std::string_view text_in(const json::value* value) {
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string_view{} : std::string_view{text->data(), text->size()};
}

const json::value* member(const json::value& value, std::string_view key) {
    const json::object* object = value.if_object();
    return object == nullptr ? nullptr : object->if_contains({key.data(), key.size()});
}

bool is_one_of(std::string_view key, const auto& keys) {
    return std::ranges::find(keys, key) != keys.end();
}

// Decodes `~1` and `~0` of a JSON pointer.
std::string unescaped(std::string_view text) {
    std::string name{text};
    for (const auto& [escape, character] :
         {std::pair{std::string_view{"~1"}, '/'}, std::pair{std::string_view{"~0"}, '~'}}) {
        for (std::size_t at = name.find(escape); at != std::string::npos;
             at = name.find(escape, at + 1)) {
            name.replace(at, escape.size(), 1, character);
        }
    }
    return name;
}

}  // namespace

const json::value* resolved(const json::value& document, const json::value& value) {
    const json::value* found = &value;
    for (int step = 0; step < kMaxSteps && found != nullptr; ++step) {
        const json::value* reference = member(*found, "$ref");
        if (reference == nullptr) {
            return found;
        }
        const std::string_view text = text_in(reference);
        if (!text.starts_with("#/")) {
            return nullptr;
        }
        json::error_code error;
        const std::string_view pointer = text.substr(1);
        found = document.find_pointer({pointer.data(), pointer.size()}, error);
    }
    return nullptr;
}

OpenApiSchemas::OpenApiSchemas(const json::value& document, const OpenApiOptions& options)
    : document_(document),
      options_(options),
      is_version_3_0_(text_in(member(document, "openapi")).starts_with("3.0")),
      nodes_left_(options.max_schema_nodes) {}

json::value OpenApiSchemas::copied(const json::value& schema) {
    return copied(schema, 0);
}

json::object OpenApiSchemas::take_definitions() {
    const json::value* components = member(document_, "components");
    const json::value* schemas = components == nullptr ? nullptr : member(*components, "schemas");
    json::object definitions;
    // The list grows during the loop.
    for (std::size_t index = 0; index < wanted_.size() && fault_.empty(); ++index) {
        const std::string name = wanted_[index];
        const json::value* schema = schemas == nullptr ? nullptr : member(*schemas, name);
        if (schema == nullptr) {
            fault_ = "it refers to the schema \"" + name + "\", which is not in the document";
        } else if (index >= options_.max_definitions) {
            fault_ = "it refers to too many schemas";
        } else {
            definitions[name] = copied(*schema, 0);
        }
    }
    wanted_.clear();
    return definitions;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, whose depth its reader has limited.
json::value OpenApiSchemas::copied(const json::value& schema, std::size_t depth) {
    constexpr std::array<std::string_view, 5> kMaps = {"properties", "patternProperties", "$defs",
                                                       "definitions", "dependentSchemas"};
    constexpr std::array<std::string_view, 5> kData = {"enum", "const", "default", "example",
                                                       "examples"};
    if (nodes_left_ == 0 || depth > options_.max_depth) {
        fault_ = "its schema is too large";
        return {};
    }
    --nodes_left_;
    if (const json::array* items = schema.if_array()) {
        json::array copies;
        for (const json::value& item : *items) {
            copies.push_back(copied(item, depth + 1));
        }
        return copies;
    }
    if (!schema.is_object()) {
        return schema;
    }
    json::object copy;
    for (const json::key_value_pair& pair : schema.get_object()) {
        const std::string_view key{pair.key().data(), pair.key().size()};
        if (key == "$ref" && pair.value().is_string()) {
            copy[pair.key()] = renamed(text_in(&pair.value()));
        } else if (is_one_of(key, kMaps)) {
            copy[pair.key()] = copied_map(pair.value(), depth + 1);
        } else {
            copy[pair.key()] =
                is_one_of(key, kData) ? pair.value() : copied(pair.value(), depth + 1);
        }
    }
    if (is_version_3_0_) {
        modernise(copy);
    }
    return copy;
}

// NOLINTNEXTLINE(misc-no-recursion): see `copied`.
json::value OpenApiSchemas::copied_map(const json::value& map, std::size_t depth) {
    if (!map.is_object()) {
        return map;
    }
    json::object copy;
    for (const json::key_value_pair& pair : map.get_object()) {
        copy[pair.key()] = copied(pair.value(), depth);
    }
    return copy;
}

std::string OpenApiSchemas::renamed(std::string_view reference) {
    if (!reference.starts_with(kSchemas)) {
        fault_ = "it refers to \"" + std::string{reference} +
                 "\", and only schemas of the document itself are followed";
        return {};
    }
    const std::string_view path = reference.substr(kSchemas.size());
    std::string name = unescaped(path.substr(0, path.find('/')));
    if (std::ranges::find(wanted_, name) == wanted_.end()) {
        wanted_.push_back(std::move(name));
    }
    return "#/$defs/" + std::string{path};
}

// `nullable` and boolean `exclusiveMinimum` and `exclusiveMaximum` exist only in OpenAPI 3.0.
void OpenApiSchemas::modernise(json::object& schema) const {
    const json::value* nullable = schema.if_contains("nullable");
    if (nullable != nullptr && nullable->is_bool()) {
        json::value* type = schema.if_contains("type");
        if (nullable->get_bool() && type != nullptr && type->is_string()) {
            *type = json::array{*type, "null"};
            json::value* values = schema.if_contains("enum");
            if (values != nullptr && values->is_array()) {
                values->get_array().emplace_back(nullptr);
            }
        }
        schema.erase("nullable");
    }
    constexpr std::array<std::pair<const char*, const char*>, 2> kLimits = {
        {{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}}};
    for (const auto& [exclusive, limit] : kLimits) {
        const json::value* mark = schema.if_contains(exclusive);
        if (mark == nullptr || !mark->is_bool()) {
            continue;
        }
        const bool is_exclusive = mark->get_bool();
        schema.erase(exclusive);
        if (const json::value* bound = schema.if_contains(limit); is_exclusive && bound) {
            schema[exclusive] = json::value{*bound};
            schema.erase(limit);
        }
    }
}

}  // namespace holdfast::rest
