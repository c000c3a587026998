#include "policy/reading/field_kinds.hpp"

#include <array>

#include "base/nearest_name.hpp"
#include "config/key_table.hpp"
#include "policy/text_template.hpp"

namespace holdfast::policy {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;

bool is_none(const Node& value) {
    return value.kind == NodeKind::text && config::scalar_text(value) == "none";
}

void refuse_unknown_placeholder(const ObjectReader& object, std::string_view name) {
    const Node* value = object.object().find(name);
    if (value == nullptr || value->kind != NodeKind::text) {
        return;
    }
    if (const auto unknown = unknown_placeholder(value->text)) {
        const auto nearest = base::nearest_names(*unknown, kPlaceholders, 1);
        object.refuse(*value, name,
                      "unknown placeholder {" + config::printable(*unknown) +
                          "}; the nearest is {" + std::string{nearest.front()} + '}');
    }
}

constexpr std::array kDegradeTextKeys = {
    config::key<TemplateKind, &DegradeText::read>("read", "For a read"),
    config::key<TemplateKind, &DegradeText::write>("write", "For a write"),
    config::key<TemplateKind, &DegradeText::uncertain>(
        "uncertain", "For a write that may have taken effect. Default: `write`"),
};

DegradeText read_degrade_text(ObjectReader& texts, const config::Member& member) {
    DegradeText result;
    if (member.value.kind != NodeKind::object) {
        TemplateKind::read(texts, member.key, result.read);
        result.write = result.read;
        return result;
    }
    ObjectReader kinds{texts.report(), member.value, texts.path_of(member.key)};
    config::read_object(kinds, kDegradeTextKeys, result);
    return result;
}

}  // namespace

void SwitchKind::read(ObjectReader& object, std::string_view name, bool& into) {
    const Node* value = object.find(name);
    if (value == nullptr) {
        return;
    }
    if (value->kind == NodeKind::object) {
        into = true;
    } else if (is_none(*value)) {
        into = false;
    } else {
        object.refuse(*value, name, "must be an object or \"none\", not " + config::shown(*value));
    }
}

Node SwitchKind::schema(bool is_on) {
    Node none = config::object_node({{"const", config::text_node("none")}});
    return is_on ? none : config::with_default(std::move(none), config::text_node("none"));
}

Node OptionalDurationKind::schema(const std::optional<Duration>& value) {
    return config::with_default(
        config::any_of({config::duration_schema(config::kPositiveDuration),
                        config::object_node({{"const", config::text_node("none")}})}),
        config::text_node(text(value)));
}

Node WaitForConnectionKind::schema(WaitForConnection value) {
    return config::with_default(
        config::any_of({config::object_node({{"const", config::text_node("firstTry")}}),
                        config::flag_schema()}),
        config::text_node(text(value)));
}

void OptionalDurationKind::read(ObjectReader& object, std::string_view name,
                                std::optional<Duration>& into) {
    const Node* value = object.find(name);
    if (value == nullptr) {
        return;
    }
    if (is_none(*value)) {
        into.reset();
        return;
    }
    Duration duration = into.value_or(Duration::zero());
    object.read_duration(name, duration, config::kPositiveDuration);
    into = duration;
}

void WaitForConnectionKind::read(ObjectReader& object, std::string_view name,
                                 WaitForConnection& into) {
    const Node* value = object.find(name);
    if (value == nullptr) {
        return;
    }
    const bool has_variable = !value->written.empty();
    if (value->kind == NodeKind::text && config::scalar_text(*value) == "firstTry") {
        into = WaitForConnection::first_try;
    } else if (value->kind == NodeKind::boolean || has_variable) {
        std::optional<bool> flag;
        object.read_bool(name, flag);
        if (flag) {
            into = *flag ? WaitForConnection::always : WaitForConnection::never;
        }
    } else {
        object.refuse(*value, name,
                      "must be \"firstTry\", true or false, not " + config::shown(*value));
    }
}

std::string WaitForConnectionKind::text(WaitForConnection value) {
    switch (value) {
        case WaitForConnection::never:
            return "false";
        case WaitForConnection::first_try:
            return "firstTry";
        case WaitForConnection::always:
            return "true";
    }
    return {};
}

std::string ClassNamesKind::text(const std::vector<std::string>& names) {
    std::string result;
    for (const std::string& name : names) {
        result.append(result.empty() ? "" : ", ").append(name);
    }
    return result.empty() ? "nothing" : result;
}

void TemplateKind::read(ObjectReader& object, std::string_view name, std::string& into) {
    object.read_text(name, into);
    refuse_unknown_placeholder(object, name);
}

void DegradeTextsKind::read(ObjectReader& object, std::string_view name, Texts& into) {
    const Node* texts = object.find_object(name);
    if (texts == nullptr) {
        return;
    }
    ObjectReader reader{object.report(), *texts, object.path_of(name)};
    for (const config::Member& member : texts->members) {
        into[member.key] = read_degrade_text(reader, member);
    }
}

std::string DegradeTextsKind::text(const Texts& texts) {
    std::vector<std::string> keys;
    for (const auto& [key, words] : texts) {
        keys.push_back(key);
    }
    return ClassNamesKind::text(keys);
}

Node DegradeTextsKind::schema(const Texts& /*texts*/) {
    return config::map_schema(config::any_of(
        {config::text_schema(), config::object_schema(config::infos_of(kDegradeTextKeys))}));
}

}  // namespace holdfast::policy
