#include "policy/reading/rule_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/glob.hpp"
#include "base/nearest_name.hpp"
#include "config/key_table.hpp"
#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::policy {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;

constexpr std::size_t kMaxGlobBytes = 512;

constexpr std::array kRuleKeys = {
    config::key<config::FlagKind, &ToolRule::read_only>(
        "readOnly", "Whether a call changes nothing. Default: as the tool says"),
    config::key<config::FlagKind, &ToolRule::idempotent>(
        "idempotent", "Whether a call can be repeated safely. Default: as the tool says"),
};

Node match_schema() {
    return config::one_or_list_schema(config::text_schema());
}

Node tool_names_schema() {
    return config::list_schema(config::text_schema());
}

constexpr std::array kRuleInfos = {
    config::KeyInfo{.name = "match",
                    .description = "The tools that the rule is for: `server.tool`, with `*`; or a "
                                   "list",
                    .schema = match_schema,
                    .is_required = true},
    config::KeyInfo{.name = "policy",
                    .description = "The name of a policy of `policies`",
                    .schema = config::text_schema},
    config::KeyInfo{
        .name = "circuit",
        .description = "The circuit of these tools: one of `circuits`, or the name of a server",
        .schema = config::text_schema},
    kRuleKeys[0].info,
    kRuleKeys[1].info,
    config::KeyInfo{
        .name = "alternatives",
        .description = "Tools that replace it, tried in order while its circuit is open",
        .schema = tool_names_schema},
    config::KeyInfo{.name = "fallback",
                    .description = "A tool that is tried after all `alternatives`",
                    .schema = config::text_schema},
};

/// Whether a name or glob begins with one of the servers and a dot.
bool names_a_server(std::string_view text, const OuterNames& outer) {
    return std::ranges::any_of(outer.servers, [&](std::string_view server) {
        return text.size() > server.size() && text.starts_with(server) &&
               text[server.size()] == '.';
    });
}

void warn_of_unknown_server(const ObjectReader& rule, const Node& value, std::string_view key,
                            const OuterNames& outer) {
    const std::string_view server = std::string_view{value.text}.substr(0, value.text.find('.'));
    const bool is_literal = server.find_first_of("*?") == std::string_view::npos;
    if (!is_literal || names_a_server(value.text, outer)) {
        return;
    }
    const auto nearest = base::nearest_names(server, outer.servers, 1);
    rule.report().warn(value.place, rule.path_of(key) + ": no server \"" +
                                        config::printable(server) + "\", so this has no effect" +
                                        (nearest.empty() ? std::string{}
                                                         : "; the nearest is \"" +
                                                               std::string{nearest.front()} + '"'));
}

void read_glob(const ObjectReader& rule, const Node& value, const OuterNames* outer,
               ToolRule& into) {
    if (value.kind != NodeKind::text) {
        rule.refuse_kind(value, "match", "text in double quotes, or a list of such");
        return;
    }
    if (value.text.empty() || value.text.size() > kMaxGlobBytes) {
        rule.refuse(value, "match", "must have from 1 to 512 characters");
        return;
    }
    const bool has_server = value.text.find_first_of(".*") != std::string::npos;
    if (outer != nullptr && !has_server) {
        rule.refuse(value, "match",
                    config::shown(value) + " does not name a server; write \"server." +
                        config::printable(value.text) + "\", or \"*." +
                        config::printable(value.text) + "\" for all servers");
        return;
    }
    if (outer != nullptr) {
        warn_of_unknown_server(rule, value, "match", *outer);
    }
    into.globs.push_back(value.text);
}

void read_match(ObjectReader& rule, const OuterNames* outer, ToolRule& into) {
    const Node* match = rule.find("match");
    if (match == nullptr) {
        rule.report().refuse(rule.object().place,
                             rule.path() + ": needs \"match\", the tools that the rule is for");
        return;
    }
    if (match->kind != NodeKind::list) {
        read_glob(rule, *match, outer, into);
        return;
    }
    for (const Node& item : match->items) {
        read_glob(rule, item, outer, into);
    }
}

void check_tool_name(const ObjectReader& rule, const Node& value, std::string_view key,
                     const OuterNames* outer) {
    if (outer == nullptr || value.kind != NodeKind::text) {
        return;
    }
    if (value.text.find('.') == std::string::npos || value.text.find('*') != std::string::npos) {
        rule.refuse(
            value, key,
            "must be a tool with its server, as in \"docs.search\", not " + config::shown(value));
        return;
    }
    warn_of_unknown_server(rule, value, key, *outer);
}

void read_other_tools(ObjectReader& rule, const OuterNames* outer, ToolRule& into) {
    if (const Node* list = rule.find_list("alternatives")) {
        rule.read_texts("alternatives", into.alternatives.emplace());
        for (const Node& item : list->items) {
            check_tool_name(rule, item, "alternatives", outer);
        }
    }
    rule.read_text("fallback", into.fallback);
    if (const Node* fallback = rule.object().find("fallback")) {
        check_tool_name(rule, *fallback, "fallback", outer);
    }
}

void read_names(ObjectReader& rule, const OuterNames* outer, const Fragment& fragment,
                ToolRule& into) {
    rule.read_text("policy", into.policy);
    rule.read_text("circuit", into.circuit);
    const Node* policy = rule.find("policy");
    if (policy != nullptr && policy->kind == NodeKind::text) {
        std::vector<std::string_view> names;
        names.reserve(fragment.policies.size());
        for (const auto& [name, named] : fragment.policies) {
            names.push_back(name);
        }
        refuse_unknown_name(rule.report(), *policy, rule.path_of("policy"), "policy", names);
    }
    const Node* circuit = rule.find("circuit");
    if (circuit != nullptr && circuit->kind == NodeKind::text) {
        std::vector<std::string_view> names;
        names.reserve(fragment.circuits.size());
        for (const auto& [name, layer] : fragment.circuits) {
            names.push_back(name);
        }
        if (outer != nullptr) {
            std::ranges::copy(outer->servers, std::back_inserter(names));
            std::ranges::copy(outer->circuits, std::back_inserter(names));
        }
        refuse_unknown_name(rule.report(), *circuit, rule.path_of("circuit"), "circuit", names);
    }
}

}  // namespace

std::vector<config::KeyInfo> rule_keys() {
    return {kRuleInfos.begin(), kRuleInfos.end()};
}

bool ToolRule::matches(std::string_view tool) const noexcept {
    return std::ranges::any_of(
        globs, [&](const std::string& glob) { return base::glob_matches(glob, tool); });
}

void read_rules(const ReadScope& scope, const Node& section, const OuterNames* outer,
                Fragment& fragment) {
    if (section.kind != NodeKind::list) {
        scope.report.refuse(section.place, "tools: must be a list of rules, not " +
                                               std::string{config::kind_phrase(section)});
        return;
    }
    for (std::size_t index = 0; index < section.items.size(); ++index) {
        const Node& item = section.items[index];
        const std::string path = "tools[" + std::to_string(index) + ']';
        if (item.kind != NodeKind::object) {
            scope.report.refuse(item.place, path + ": must be an object, not " +
                                                std::string{config::kind_phrase(item)});
            continue;
        }
        ObjectReader reader{scope.report, item, path};
        ToolRule rule{.source = scope.source + path};
        read_match(reader, outer, rule);
        read_names(reader, outer, fragment, rule);
        config::read_keys(reader, kRuleKeys, rule);
        read_other_tools(reader, outer, rule);
        reader.refuse_unknown(kRuleInfos);
        fragment.rules.push_back(std::move(rule));
    }
}

}  // namespace holdfast::policy
