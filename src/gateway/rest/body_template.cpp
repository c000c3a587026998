#include "rest/body_template.hpp"

#include <utility>

#include "config/node_json.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::rest {

using config::NodeKind;

BodyTemplate::BodyTemplate(const config::Node& value) {
    if (value.kind == NodeKind::list) {
        kind_ = Kind::list;
        for (const config::Node& item : value.items) {
            children_.push_back({.key = {}, .value = BodyTemplate{item}});
        }
    } else if (value.kind == NodeKind::object) {
        kind_ = Kind::object;
        for (const config::Member& member : value.members) {
            children_.push_back(
                {.key = jsonrpc::quoted_text(member.key), .value = BodyTemplate{member.value}});
        }
    } else if (const auto name = argument_named_by(value.text);
               value.kind == NodeKind::text && name) {
        kind_ = Kind::argument;
        text_ = *name;
    } else {
        text_ = config::json_of(value);
    }
}

BodyTemplate BodyTemplate::of_argument(std::string name) {
    BodyTemplate body;
    body.kind_ = Kind::argument;
    body.text_ = std::move(name);
    return body;
}

std::vector<std::string_view> BodyTemplate::parameters() const {
    std::vector<std::string_view> names;
    add_parameters(names);
    return names;
}

void BodyTemplate::add_parameters(std::vector<std::string_view>& names) const {
    if (kind_ == Kind::argument) {
        names.push_back(text_);
    }
    for (const Child& child : children_) {
        child.value.add_parameters(names);
    }
}

std::optional<std::string> BodyTemplate::expanded(const Arguments& arguments) const {
    switch (kind_) {
        case Kind::literal:
            return text_;
        case Kind::argument: {
            const auto value = arguments.find(text_);
            return value ? std::optional<std::string>{*value} : std::nullopt;
        }
        case Kind::list:
            return '[' + expanded_children(arguments) + ']';
        case Kind::object:
            return '{' + expanded_children(arguments) + '}';
    }
    return std::nullopt;
}

std::string BodyTemplate::expanded_children(const Arguments& arguments) const {
    std::string text;
    for (const Child& child : children_) {
        const auto value = child.value.expanded(arguments);
        if (!value) {
            continue;
        }
        text.append(text.empty() ? "" : ",");
        text.append(child.key).append(child.key.empty() ? "" : ":").append(*value);
    }
    return text;
}

std::optional<std::string_view> argument_named_by(std::string_view text) {
    const bool is_reference = text.size() > 2 && text.starts_with('{') && text.ends_with('}') &&
                              text.find_first_of("{}", 1) == text.size() - 1;
    return is_reference ? std::optional{text.substr(1, text.size() - 2)} : std::nullopt;
}

}  // namespace holdfast::rest
