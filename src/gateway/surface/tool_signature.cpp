#include "surface/tool_signature.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/text_cut.hpp"
#include "surface/tool_documents.hpp"

namespace holdfast::surface {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxParameters = 12;
constexpr std::size_t kMaxValues = 6;
constexpr std::size_t kMaxMembers = 6;
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxValueBytes = 40;

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    std::string text;
    for (const std::string& part : parts) {
        text.append(text.empty() ? "" : separator).append(part);
    }
    return text;
}

std::string type_text(const json::value& schema, bool shows_members);

/// `"a"|"b"`; empty if there are too many values or one is too long.
std::string values_text(const json::array& values) {
    std::vector<std::string> texts;
    for (const json::value& value : values) {
        if (value.is_structured()) {
            return {};
        }
        texts.push_back(json::serialize(value));
        if (texts.size() > kMaxValues || texts.back().size() > kMaxValueBytes) {
            return {};
        }
    }
    return joined(texts, "|");
}

bool is_required(const json::object& schema, std::string_view name) {
    const json::value* const required = schema.if_contains("required");
    return required != nullptr && required->is_array() &&
           std::ranges::any_of(required->get_array(), [name](const json::value& value) {
               return value.is_string() && std::string_view{value.get_string()} == name;
           });
}

std::string member_text(std::string_view name, const json::value& schema, bool is_needed,
                        bool shows_members) {
    return shown_text(name, kMaxNameBytes) + (is_needed ? ": " : "?: ") +
           type_text(schema, shows_members);
}

std::string object_text(const json::object& schema, bool shows_members) {
    const json::value* const properties = schema.if_contains("properties");
    if (!shows_members || properties == nullptr || !properties->is_object() ||
        properties->get_object().empty() || properties->get_object().size() > kMaxMembers) {
        return "object";
    }
    std::vector<std::string> members;
    for (const auto& [name, value] : properties->get_object()) {
        members.push_back(member_text(name, value, is_required(schema, name), false));
    }
    return "{" + joined(members, ", ") + "}";
}

std::string named_type_text(std::string_view type, const json::object& schema, bool shows_members) {
    if (type == "array") {
        const json::value* const items = schema.if_contains("items");
        const std::string item = items != nullptr ? type_text(*items, shows_members) : "any";
        return (item.find('|') == std::string::npos ? item : "(" + item + ")") + "[]";
    }
    if (type == "object") {
        return object_text(schema, shows_members);
    }
    constexpr std::string_view kScalars = "string number integer boolean null";
    return kScalars.find(type) == std::string_view::npos ? "any" : std::string{type};
}

std::string union_text(const json::array& variants, bool shows_members) {
    std::vector<std::string> texts;
    for (const json::value& variant : variants) {
        std::string text = type_text(variant, shows_members);
        if (text == "any" || texts.size() == kMaxValues) {
            return "any";
        }
        if (std::ranges::find(texts, text) == texts.end()) {
            texts.push_back(std::move(text));
        }
    }
    return texts.empty() ? "any" : joined(texts, "|");
}

std::string type_text(const json::value& value, bool shows_members) {
    const json::object* const schema = value.if_object();
    if (schema == nullptr) {
        return "any";
    }
    if (const json::value* const constant = schema->if_contains("const")) {
        const std::string text = values_text({*constant});
        return text.empty() ? "any" : text;
    }
    if (const json::value* const values = schema->if_contains("enum");
        values != nullptr && values->is_array()) {
        if (std::string text = values_text(values->get_array()); !text.empty()) {
            return text;
        }
    }
    const json::value* const type = schema->if_contains("type");
    if (type != nullptr && type->is_string()) {
        return named_type_text(type->get_string(), *schema, shows_members);
    }
    if (type != nullptr && type->is_array()) {
        std::vector<std::string> texts;
        for (const json::value& one : type->get_array()) {
            texts.push_back(one.is_string()
                                ? named_type_text(one.get_string(), *schema, shows_members)
                                : "any");
        }
        return texts.empty() ? "any" : joined(texts, "|");
    }
    for (const std::string_view key : {"anyOf", "oneOf"}) {
        const json::value* const variants = schema->if_contains(key);
        if (variants != nullptr && variants->is_array()) {
            return union_text(variants->get_array(), shows_members);
        }
    }
    return "any";
}

struct Parameters {
    std::vector<std::string> needed = {};
    std::vector<std::string> optional = {};
};

Parameters parameters_of(std::string_view input_schema) {
    Parameters parameters;
    json::error_code error;
    const json::value schema = json::parse({input_schema.data(), input_schema.size()}, error);
    const json::object* const object = error ? nullptr : schema.if_object();
    const json::value* const properties =
        object != nullptr ? object->if_contains("properties") : nullptr;
    if (properties == nullptr || !properties->is_object()) {
        return parameters;
    }
    for (const auto& [name, value] : properties->get_object()) {
        const bool is_needed = is_required(*object, name);
        (is_needed ? parameters.needed : parameters.optional)
            .push_back(member_text(name, value, is_needed, true));
    }
    return parameters;
}

}  // namespace

std::string tool_signature(std::string_view name, std::string_view input_schema,
                           std::size_t max_bytes) {
    const Parameters parameters = parameters_of(input_schema);
    std::vector<std::string> all = parameters.needed;
    std::ranges::copy(parameters.optional, std::back_inserter(all));
    const std::size_t most = all.size() > kMaxParameters
                                 ? std::max<std::size_t>(parameters.needed.size(), 1)
                                 : all.size();
    std::string text = std::string{name} + "(";
    std::size_t count = 0;
    for (; count < std::min(most, all.size()); ++count) {
        // The first one is always shown, cut if need be, so that the note below has a reason.
        if (count > 0 && text.size() + all[count].size() > max_bytes) {
            break;
        }
        text.append(count == 0 ? "" : ", ").append(base::beginning_of(all[count], max_bytes));
    }
    if (count < all.size()) {
        text += ", … " + std::to_string(all.size() - count) + " more, see describe_tool";
    }
    return text + ")";
}

}  // namespace holdfast::surface
