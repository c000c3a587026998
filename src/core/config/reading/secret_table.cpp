#include "config/reading/secret_table.hpp"

#include <optional>
#include <string>
#include <utility>

namespace holdfast::config {
namespace {

std::optional<std::string> plain_text(const Node& value) {
    switch (value.kind) {
        case NodeKind::text:
        case NodeKind::number:
            return value.text;
        case NodeKind::boolean:
            return value.boolean ? "true" : "false";
        default:
            return std::nullopt;
    }
}

void add_all_texts(SecretList& secrets, const Node& value) {
    if (value.kind == NodeKind::text || value.kind == NodeKind::number) {
        secrets.add_header_value(value.text);
    }
    for (const Node& item : value.items) {
        add_all_texts(secrets, item);
    }
    for (const Member& member : value.members) {
        add_all_texts(secrets, member.value);
    }
}

}  // namespace

std::vector<NamedText> read_secret_table(ObjectReader& owner, std::string_view key,
                                         const EntryCheck& check) {
    std::vector<NamedText> table;
    const Node* object = owner.find_object(key);
    if (object == nullptr) {
        return table;
    }
    const ObjectReader entries{owner.report(), *object, owner.path_of(key)};
    for (const Member& member : object->members) {
        if (member.value.is_unresolved) {
            continue;
        }
        if (member.value.kind == NodeKind::null) {
            // Some editors write null for a variable that is not to be set.
            owner.report().warn(member.value.place,
                                entries.path_of(member.key) + ": null is ignored");
            continue;
        }
        const auto text = plain_text(member.value);
        if (!text) {
            entries.refuse_kind(member.value, member.key, "text in double quotes");
            continue;
        }
        const std::string_view fault = check(member.key, *text);
        if (!fault.empty()) {
            entries.refuse(member.value, member.key, fault);
            continue;
        }
        table.push_back({.name = member.key, .value = *text});
    }
    return table;
}

void collect_secrets(SecretList& secrets, const Node& value) {
    for (const Node& item : value.items) {
        collect_secrets(secrets, item);
    }
    for (const Member& member : value.members) {
        // Credentials have the names of their sources only; tools and documents of an HTTP API are
        // shown to every agent.
        const bool is_public =
            member.key == "credentials" || member.key == "tools" || member.key == "openapi";
        if (is_public) {
            continue;
        }
        const bool holds_secrets = member.key == "headers" || member.key == "env" ||
                                   member.key == "tokens" || member.key == "token";
        if (holds_secrets) {
            add_all_texts(secrets, member.value);
        } else {
            collect_secrets(secrets, member.value);
        }
    }
}

}  // namespace holdfast::config
