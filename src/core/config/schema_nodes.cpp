#include "config/schema_nodes.hpp"

#include <charconv>
#include <string>

#include "base/number_text.hpp"
#include "config/quantity_pattern.hpp"

namespace holdfast::config {
namespace {

/// Behind a pattern: a text with a reference fits, too.
constexpr std::string_view kOrVariable = R"(|\$\{)";

Node pattern_node(std::string pattern) {
    return text_node(pattern.append(kOrVariable));
}

Node reference_to(std::string_view definition) {
    return object_node({{"$ref", text_node(std::string{"#/$defs/"}.append(definition))}});
}

Node or_variable(Node schema) {
    return any_of({std::move(schema), reference_to("variable")});
}

bool is_same(const Range<Duration>& left, const Range<Duration>& right) {
    return left.min == right.min && left.max == right.max;
}

Node duration_text_schema(const Range<Duration>& range) {
    return object_node(
        {{"type", text_node("string")}, {"pattern", pattern_node(duration_pattern(range))}});
}

Node duration_definition(const Range<Duration>& range) {
    const std::string least = range.min == Duration::zero() ? "0s" : duration_text(range.min);
    return with(duration_text_schema(range), "description",
                text_node("a number with a unit (200ms, 30s, 2m, 1h), from " + least + " to " +
                          duration_text(range.max)));
}

}  // namespace

Node text_node(std::string_view text) {
    Node node;
    node.kind = NodeKind::text;
    node.text = text;
    return node;
}

Node number_node(double number) {
    Node node;
    node.kind = NodeKind::number;
    node.number = number;
    node.text = base::number_text(number, std::chars_format::fixed);
    return node;
}

Node flag_node(bool flag) {
    Node node;
    node.kind = NodeKind::boolean;
    node.boolean = flag;
    return node;
}

Node list_node(std::vector<Node> items) {
    Node node;
    node.kind = NodeKind::list;
    node.items = std::move(items);
    return node;
}

Node object_node(std::initializer_list<std::pair<std::string_view, Node>> members) {
    Node node;
    node.kind = NodeKind::object;
    for (const auto& [key, value] : members) {
        node.members.push_back({.key = std::string{key}, .value = value});
    }
    return node;
}

Node with(Node schema, std::string_view keyword, Node value) {
    schema.members.push_back({.key = std::string{keyword}, .value = std::move(value)});
    return schema;
}

Node with_default(Node schema, Node value) {
    return with(std::move(schema), "default", std::move(value));
}

Node flag_schema() {
    return or_variable(object_node({{"type", text_node("boolean")}}));
}

Node text_schema() {
    return object_node({{"type", text_node("string")}});
}

Node duration_schema(const Range<Duration>& range) {
    if (is_same(range, kPositiveDuration)) {
        return reference_to("duration");
    }
    if (is_same(range, kAnyDuration)) {
        return reference_to("durationOrZero");
    }
    return duration_text_schema(range);
}

Node size_schema(const Range<std::size_t>& range) {
    Node schema = reference_to("size");
    schema = with(std::move(schema), "minimum", number_node(static_cast<double>(range.min)));
    schema = with(std::move(schema), "maximum", number_node(static_cast<double>(range.max)));
    return with(std::move(schema), "pattern", pattern_node(byte_size_pattern(range)));
}

Node whole_number_schema(double min, double max) {
    return or_variable(object_node({{"type", text_node("integer")},
                                    {"minimum", number_node(min)},
                                    {"maximum", number_node(max)}}));
}

Node number_schema(double min, double max) {
    return or_variable(object_node({{"type", text_node("number")},
                                    {"minimum", number_node(min)},
                                    {"maximum", number_node(max)}}));
}

Node choice_schema(std::span<const std::string_view> choices) {
    std::vector<Node> names;
    names.reserve(choices.size());
    for (const std::string_view choice : choices) {
        names.push_back(text_node(choice));
    }
    return or_variable(object_node({{"enum", list_node(std::move(names))}}));
}

Node any_of(std::vector<Node> schemas) {
    return object_node({{"anyOf", list_node(std::move(schemas))}});
}

Node list_schema(Node item) {
    return object_node({{"type", text_node("array")}, {"items", std::move(item)}});
}

Node one_or_list_schema(const Node& item) {
    return any_of({item, list_schema(item)});
}

Node map_schema(Node value) {
    return object_node({{"type", text_node("object")}, {"additionalProperties", std::move(value)}});
}

Node object_schema(std::span<const KeyInfo> keys, UnknownKeys unknown) {
    Node properties = object_node({});
    std::vector<Node> required;
    for (const KeyInfo& key : keys) {
        Node described = object_node({{"description", text_node(key.description)}});
        Node schema = key.schema();
        for (Member& member : schema.members) {
            described.members.push_back(std::move(member));
        }
        properties.members.push_back({.key = std::string{key.name}, .value = std::move(described)});
        if (key.is_required) {
            required.push_back(text_node(key.name));
        }
    }
    Node schema =
        object_node({{"type", text_node("object")}, {"properties", std::move(properties)}});
    if (!required.empty()) {
        schema = with(std::move(schema), "required", list_node(std::move(required)));
    }
    if (unknown == UnknownKeys::refused) {
        schema = with(std::move(schema), "additionalProperties", flag_node(false));
    }
    return schema;
}

Node schema_definitions() {
    return object_node(
        {{"variable", object_node({{"description", text_node("a text with ${VARIABLE} in it")},
                                   {"type", text_node("string")},
                                   {"pattern", text_node(R"(\$\{)")}})},
         {"duration", duration_definition(kPositiveDuration)},
         {"durationOrZero", duration_definition(kAnyDuration)},
         {"size",
          object_node(
              {{"description", text_node("a number of bytes, or a number with a unit: 64kB, 8MB, "
                                         "1GB")},
               {"type", list_node({text_node("integer"), text_node("string")})}})}});
}

}  // namespace holdfast::config
