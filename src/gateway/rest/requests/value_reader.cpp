#include "rest/requests/value_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/http_token.hpp"
#include "base/letter_case.hpp"
#include "config/schema_nodes.hpp"

namespace holdfast::rest {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;

bool is_plain(std::string_view text) {
    return std::ranges::all_of(
        text, [](char character) { return character >= ' ' && character < '\x7F'; });
}

std::string_view header_fault(std::string_view name, const Node& value) {
    if (!base::is_token(name)) {
        return "invalid header name; use letters, digits and \"-\"";
    }
    if (is_reserved_header(name)) {
        return "the gateway sets this header itself";
    }
    return is_plain(value.text) ? std::string_view{}
                                : "a header value must be printable ASCII on one line";
}

}  // namespace

bool is_reserved_header(std::string_view name) noexcept {
    constexpr std::array<std::string_view, 5> kReserved = {
        "host", "content-length", "transfer-encoding", "connection", "content-type"};
    return std::ranges::any_of(kReserved, [name](std::string_view reserved) {
        return base::equals_ignoring_case(reserved, name);
    });
}

Node named_values_schema() {
    return config::map_schema(config::text_schema());
}

Node paths_schema() {
    return config::one_or_list_schema(config::text_schema());
}

void read_named_values(ObjectReader& owner, std::string_view key, bool are_headers,
                       std::vector<NamedValue>& into) {
    const Node* object = owner.find_object(key);
    if (object == nullptr) {
        return;
    }
    into.clear();
    const ObjectReader entries{owner.report(), *object, owner.path_of(key)};
    for (const config::Member& member : object->members) {
        if (member.value.is_unresolved) {
            continue;
        }
        if (member.value.kind != NodeKind::text) {
            entries.refuse_kind(member.value, member.key, "text in double quotes");
            continue;
        }
        const std::string_view fault =
            are_headers ? header_fault(member.key, member.value) : std::string_view{};
        if (!fault.empty()) {
            entries.refuse(member.value, member.key, fault);
            continue;
        }
        const auto argument = argument_named_by(member.value.text);
        into.push_back({.name = member.key,
                        .argument = std::string{argument.value_or("")},
                        .text = argument ? std::string{} : member.value.text});
    }
}

void read_paths(ObjectReader& owner, std::string_view key, std::vector<JsonPath>& into) {
    const Node* value = owner.find(key);
    if (value == nullptr) {
        return;
    }
    std::vector<std::string> texts;
    if (value->kind == NodeKind::list) {
        owner.read_texts(key, texts);
    } else {
        owner.read_text(key, texts.emplace_back());
    }
    into.clear();
    for (const std::string& text : texts) {
        auto path = parsed_path(text);
        if (!path) {
            owner.refuse(*value, key,
                         R"(must be a path, as in "error.message" or "/error/message")");
            return;
        }
        into.push_back(std::move(*path));
    }
}

}  // namespace holdfast::rest
