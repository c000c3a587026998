#include "rest/openapi/openapi_operation.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/http_token.hpp"
#include "downstream/http_fault.hpp"
#include "rest/openapi/openapi_schemas.hpp"
#include "rest/requests/request_builder.hpp"
#include "rest/requests/tool_reader.hpp"
#include "rest/requests/value_reader.hpp"

// The parameters and the body of an operation become one object of arguments. If two of them have
// the same name, the later one gets its location as a prefix: `query_id`.

namespace holdfast::rest {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxNameBytes = 64;

const json::value* member(const json::value* value, std::string_view key) {
    const json::object* object = value == nullptr ? nullptr : value->if_object();
    return object == nullptr ? nullptr : object->if_contains({key.data(), key.size()});
}

std::string text_of(const json::value* value, std::string_view key) {
    const json::value* found = member(value, key);
    const json::string* text = found == nullptr ? nullptr : found->if_string();
    return text == nullptr ? std::string{} : std::string{text->data(), text->size()};
}

bool is_true(const json::value* value, std::string_view key) {
    const json::value* found = member(value, key);
    return found != nullptr && found->is_bool() && found->get_bool();
}

std::string valid_name(std::string_view text) {
    std::string name;
    for (const char character : text) {
        const bool is_valid = is_tool_name({&character, 1});
        if (is_valid) {
            name.push_back(character);
        } else if (!name.empty() && name.back() != '_' && character != '}') {
            name.push_back('_');
        }
    }
    name.resize(std::min(name.size(), kMaxNameBytes));
    while (name.ends_with('_')) {
        name.pop_back();
    }
    return name;
}

/// Builds one tool from an operation.
class ToolBuilder final {
public:
    ToolBuilder(const OpenApiOperation& operation, const OpenApiOptions& options)
        : operation_(operation), options_(options), schemas_(operation.document, options) {}

    resilience::Result<RestTool, OpenApiFault> build() {
        auto path = PathTemplate::parsed(operation_.path);
        if (!path) {
            return OpenApiFault{"its path " + path.error().message};
        }
        tool_.path = std::move(*path);
        tool_.method = operation_.method;
        describe();
        add_parameters();
        add_path_arguments();
        add_body();
        finish_schema();
        const std::string& fault = fault_.empty() ? schemas_.fault() : fault_;
        if (!fault.empty()) {
            return OpenApiFault{fault};
        }
        return std::move(tool_);
    }

private:
    void describe() {
        const std::string summary = text_of(&operation_.operation, "summary");
        std::string text = text_of(&operation_.operation, "description");
        text = summary.empty() || text.starts_with(summary) ? text
               : text.empty()                               ? summary
                                                            : summary + " " + text;
        tool_.description = downstream::cleaned_excerpt(text, options_.max_description_bytes);
    }

    // Parameters of the operation override those of its path.
    void add_parameters() {
        std::vector<const json::value*> parameters;
        for (const json::value* owner : {&operation_.operation, &operation_.path_item}) {
            const json::value* list = member(owner, "parameters");
            if (list == nullptr || !list->is_array()) {
                continue;
            }
            for (const json::value& entry : list->get_array()) {
                const json::value* parameter = resolved(operation_.document, entry);
                if (parameter == nullptr) {
                    fault_ = "it has a parameter that refers to nothing in the document";
                    return;
                }
                const bool is_known = std::ranges::any_of(parameters, [&](const auto* known) {
                    return text_of(known, "name") == text_of(parameter, "name") &&
                           text_of(known, "in") == text_of(parameter, "in");
                });
                if (!is_known) {
                    parameters.push_back(parameter);
                }
            }
        }
        for (const std::string_view place : {"path", "query", "header", "cookie"}) {
            for (const json::value* parameter : parameters) {
                if (text_of(parameter, "in") == place) {
                    add_parameter(*parameter, place);
                }
            }
        }
    }

    void add_parameter(const json::value& parameter, std::string_view place) {
        constexpr std::array<std::string_view, 3> kOthers = {"Accept", "Content-Type",
                                                             "Authorization"};
        const std::string name = text_of(&parameter, "name");
        const bool is_required = is_true(&parameter, "required") || place == "path";
        if (place == "cookie") {
            fault_ = is_required ? "it needs a cookie" : fault_;
            return;
        }
        // The specification says that these headers are not parameters.
        if (place == "header" && std::ranges::find(kOthers, name) != kOthers.end()) {
            return;
        }
        if (place == "header" && (!base::is_token(name) || is_reserved_header(name))) {
            fault_ = "it has a header of an impossible name";
            return;
        }
        const std::string argument = add_property(name, place, schema_of(parameter), is_required);
        const json::value* explode = member(&parameter, "explode");
        const bool joins = explode != nullptr && explode->is_bool() && !explode->get_bool();
        if (place == "query") {
            tool_.query.push_back({.name = name, .argument = argument, .joins_lists = joins});
        } else if (place == "header") {
            tool_.headers.push_back({.name = name, .argument = argument});
        }
    }

    json::value schema_of(const json::value& parameter) {
        const json::value* schema = member(&parameter, "schema");
        if (schema == nullptr) {
            schema = json_schema_in(parameter);
        }
        json::value copy = schema == nullptr ? json::object{} : schemas_.copied(*schema);
        const std::string description = text_of(&parameter, "description");
        json::object* object = copy.if_object();
        if (object != nullptr && !description.empty() && !object->contains("description")) {
            (*object)["description"] =
                downstream::cleaned_excerpt(description, options_.max_description_bytes);
        }
        return copy;
    }

    /// Returns the schema of the first JSON type in `content`.
    static const json::value* json_schema_in(const json::value& owner) {
        const json::value* content = member(&owner, "content");
        if (content == nullptr || !content->is_object()) {
            return nullptr;
        }
        for (const json::key_value_pair& type : content->get_object()) {
            const std::string_view name{type.key().data(), type.key().size()};
            if (name.find("json") != std::string_view::npos) {
                return member(&type.value(), "schema");
            }
        }
        return nullptr;
    }

    /// Adds an argument and returns its final name.
    std::string add_property(const std::string& name, std::string_view place, json::value schema,
                             bool is_required) {
        const std::string free =
            properties_.contains(name) ? std::string{place} + "_" + name : name;
        properties_[free] = std::move(schema);
        if (is_required) {
            required_.emplace_back(free);
        }
        return free;
    }

    void add_path_arguments() {
        for (const std::string_view name : tool_.path.parameters()) {
            if (!properties_.contains({name.data(), name.size()})) {
                std::ignore =
                    add_property(std::string{name}, "path", json::object{{"type", "string"}}, true);
            }
        }
    }

    void add_body() {
        const json::value* entry = member(&operation_.operation, "requestBody");
        if (entry == nullptr || !has_body(tool_.method)) {
            tool_.has_no_body = true;
            return;
        }
        const json::value* body = resolved(operation_.document, *entry);
        const json::value* schema = body == nullptr ? nullptr : json_schema_in(*body);
        const bool is_required = is_true(body, "required");
        if (schema == nullptr) {
            fault_ = is_required || body == nullptr ? "its body is not JSON" : fault_;
            tool_.has_no_body = true;
            return;
        }
        const json::value* shape = resolved(operation_.document, *schema);
        if (shape != nullptr && can_be_flat(*shape, is_required)) {
            add_body_members(*shape);
            return;
        }
        tool_.body = BodyTemplate::of_argument(
            add_property("body", "json", schemas_.copied(*schema), is_required));
    }

    /// Whether the members of the body can become arguments of their own: the body is a plain
    /// object, and no member has the name of a parameter.
    [[nodiscard]] bool can_be_flat(const json::value& shape, bool is_required) const {
        const json::value* properties = member(&shape, "properties");
        const bool is_plain =
            properties != nullptr && properties->is_object() &&
            std::ranges::none_of(std::array{"allOf", "oneOf", "anyOf", "not"},
                                 [&](const char* key) { return member(&shape, key) != nullptr; });
        const bool may_be_missing = !is_required && member(&shape, "required") != nullptr;
        return is_plain && !may_be_missing &&
               std::ranges::none_of(properties->get_object(), [&](const auto& pair) {
                   return properties_.contains(pair.key());
               });
    }

    void add_body_members(const json::value& shape) {
        for (const json::key_value_pair& pair : member(&shape, "properties")->get_object()) {
            properties_[pair.key()] = schemas_.copied(pair.value());
        }
        const json::value* required = member(&shape, "required");
        if (required != nullptr && required->is_array()) {
            std::ranges::copy(required->get_array(), std::back_inserter(required_));
        }
        const json::value* others = member(&shape, "additionalProperties");
        takes_others_ = others == nullptr || !others->is_bool() || others->get_bool();
    }

    void finish_schema() {
        json::object schema{{"type", "object"}, {"properties", std::move(properties_)}};
        if (!required_.empty()) {
            schema["required"] = std::move(required_);
        }
        if (!takes_others_) {
            schema["additionalProperties"] = false;
        }
        json::object definitions = schemas_.take_definitions();
        if (!definitions.empty()) {
            schema["$defs"] = std::move(definitions);
        }
        tool_.input_schema = json::serialize(schema);
    }

    const OpenApiOperation& operation_;
    const OpenApiOptions& options_;
    OpenApiSchemas schemas_;
    RestTool tool_;
    json::object properties_;
    json::array required_;
    bool takes_others_ = false;
    std::string fault_;
};

}  // namespace

resilience::Result<RestTool, OpenApiFault> tool_of(const OpenApiOperation& operation,
                                                   const OpenApiOptions& options) {
    return ToolBuilder{operation, options}.build();
}

std::string tool_name_of(const OpenApiOperation& operation) {
    std::string own = valid_name(text_of(&operation.operation, "operationId"));
    if (!own.empty()) {
        return own;
    }
    std::string name{operation.method};
    std::ranges::transform(name, name.begin(),
                           [](char one) { return static_cast<char>(one - 'A' + 'a'); });
    return valid_name(name + "_" + std::string{operation.path});
}

}  // namespace holdfast::rest
