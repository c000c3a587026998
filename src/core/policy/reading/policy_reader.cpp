#include "policy/reading/policy_reader.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/nearest_name.hpp"
#include "config/object_reader.hpp"
#include "policy/degrade.hpp"
#include "policy/reading/policy_fields.hpp"

namespace holdfast::policy {
namespace {

using config::Member;
using config::Node;
using config::NodeKind;
using config::ObjectReader;

/// Groups of keys; a nested group is a path.
constexpr std::array<std::string_view, 7> kGroups = {
    "retry", "circuit", "limit", "rateLimit", "repeatGuard", "degrade", "retry.budget"};

std::vector<std::string_view> class_names(const ErrorClasses& classes) {
    std::vector<std::string_view> names;
    for (const ErrorClass& one : classes) {
        names.push_back(one.name);
    }
    return names;
}

void check_class_list(const ReadScope& scope, const ObjectReader& group, std::string_view key) {
    const Node* list = group.object().find(key);
    if (list == nullptr) {
        return;
    }
    std::vector<std::string_view> names = class_names(scope.classes);
    names.emplace_back("*");
    for (std::size_t index = 0; index < list->items.size(); ++index) {
        const Node& item = list->items[index];
        if (item.kind == NodeKind::text) {
            refuse_unknown_name(scope.report, item,
                                group.path_of(key) + '[' + std::to_string(index) + ']',
                                "error class", names);
        }
    }
}

void check_degrade_keys(const ReadScope& scope, const ObjectReader& group) {
    const Node* texts = group.object().find("texts");
    if (texts == nullptr) {
        return;
    }
    const auto codes = failure_code_texts();
    std::vector<std::string_view> names{codes.begin(), codes.end()};
    names.push_back(kOtherFailure);
    std::ranges::copy(class_names(scope.classes), std::back_inserter(names));
    for (const Member& member : texts->members) {
        if (std::ranges::find(names, member.key) == names.end()) {
            const auto nearest = base::nearest_names(member.key, names, 1);
            scope.report.refuse(
                member.key_place,
                config::key_path(group.path_of("texts"), member.key) +
                    ": is neither a failure code nor an error class; the nearest is \"" +
                    std::string{nearest.front()} + '"');
        }
    }
}

void check_order(const ObjectReader& group, std::string_view lesser, Duration less,
                 std::string_view greater, Duration more) {
    if (group.object().find(lesser) != nullptr && group.object().find(greater) != nullptr &&
        less > more) {
        group.refuse_together({lesser, greater},
                              '"' + std::string{lesser} + "\" is " + config::duration_text(less) +
                                  " and must not be longer than \"" + std::string{greater} +
                                  "\", which is " + config::duration_text(more));
    }
}

void read_keys(ObjectReader& object, std::string_view group, const GivenFields& keys,
               PolicyLayer& layer) {
    const auto fields = policy_fields();
    for (std::size_t index = 0; index < fields.size(); ++index) {
        const PolicyField& field = fields[index];
        if (field.group == group && keys[index] && object.find(field.info.name) != nullptr) {
            field.read(object, field.info.name, layer.values);
            layer.given.set(index);
        }
    }
}

/// Checks values that depend on each other.
void check_group(const ReadScope& scope, const ObjectReader& group, std::string_view name,
                 const Policy& values) {
    if (name == "retry") {
        check_class_list(scope, group, "on");
        check_order(group, "delay", values.retry.delay, "maxDelay", values.retry.max_delay);
    } else if (name == "circuit") {
        check_class_list(scope, group, "on");
        check_order(group, "open", values.circuit.figures.open, "maxOpen",
                    values.circuit.figures.max_open);
    } else if (name == "degrade") {
        check_degrade_keys(scope, group);
    }
}

void read_group(const ReadScope& scope, ObjectReader& owner, std::string_view group,
                PolicyLayer& layer) {
    const std::string_view key = group.substr(group.rfind('.') + 1);
    const Node* value = owner.find(key);
    if (value == nullptr) {
        return;
    }
    const auto fields = policy_fields();
    const bool has_switch = std::ranges::any_of(
        fields, [&](const PolicyField& field) { return field.path() == group; });
    if (value->kind != NodeKind::object) {
        if (!has_switch) {
            owner.refuse_kind(*value, key, "an object");
        }
        return;  // its owner has read the switch
    }
    ObjectReader reader{owner.report(), *value, owner.path_of(key)};
    read_keys(reader, group, GivenFields{}.set(), layer);
    if (group == "retry") {
        read_group(scope, reader, "retry.budget", layer);
    }
    check_group(scope, reader, group, layer.values);
    reader.refuse_unknown(keys_of_group(group));
}

NamedPolicy read_policy(const ReadScope& scope, const Node& entry, const std::string& path) {
    NamedPolicy policy;
    policy.layer.source = scope.source + path;
    if (entry.kind != NodeKind::object) {
        scope.report.refuse(entry.place, path + ": must be an object, not " +
                                             std::string{config::kind_phrase(entry)});
        return policy;
    }
    ObjectReader reader{scope.report, entry, path};
    reader.read_text("extends", policy.extends);
    read_keys(reader, "", GivenFields{}.set(), policy.layer);
    for (const std::string_view group : kGroups) {
        if (group.find('.') == std::string_view::npos) {
            read_group(scope, reader, group, policy.layer);
        }
    }
    check_order(reader, "attemptTimeout",
                policy.layer.values.attempt_timeout.value_or(Duration::zero()), "timeout",
                policy.layer.values.timeout);
    reader.refuse_unknown(policy_keys());
    return policy;
}

/// Returns "a" -> "b" -> "a" for a cycle of `extends`, or an empty text.
std::string cycle_from(const NamedPolicies& policies, std::string_view name) {
    std::string path = '"' + config::printable(name) + '"';
    std::set<std::string_view> seen;
    for (auto policy = policies.find(name); policy != policies.end();
         policy = policies.find(policy->second.extends)) {
        if (!seen.insert(policy->first).second) {
            return policy->first == name ? path : std::string{};
        }
        path += " -> \"" + config::printable(policy->second.extends) + '"';
    }
    return {};
}

/// Drops what cannot be followed, so that later readers do not loop.
void check_extends(const ReadScope& scope, const Node& section, NamedPolicies& policies) {
    std::vector<std::string_view> names = {kDefaultPolicy};
    for (const auto& [name, policy] : policies) {
        names.push_back(name);
    }
    for (const Member& member : section.members) {
        const Node* extends = member.value.find("extends");
        NamedPolicy& policy = policies.find(member.key)->second;
        if (extends == nullptr || policy.extends.empty()) {
            continue;
        }
        const std::string path =
            config::key_path(config::key_path("policies", member.key), "extends");
        refuse_unknown_name(scope.report, *extends, path, "policy", names);
        const std::string cycle = cycle_from(policies, member.key);
        if (!cycle.empty()) {
            std::string words = path;
            words.append(": a policy cannot extend itself: ").append(cycle);
            scope.report.refuse(extends->place, std::move(words));
            policy.extends.clear();
        } else if (member.key == kDefaultPolicy) {
            scope.report.refuse(
                extends->place,
                path + ": all policies extend \"default\", so it cannot extend another");
            policy.extends.clear();
        }
    }
}

}  // namespace

NamedPolicies read_policies(const ReadScope& scope, const Node& section) {
    NamedPolicies policies;
    if (section.kind != NodeKind::object) {
        scope.report.refuse(section.place, "policies: must be an object of policies by name, not " +
                                               std::string{config::kind_phrase(section)});
        return policies;
    }
    for (const Member& member : section.members) {
        policies.insert_or_assign(
            member.key, read_policy(scope, member.value, config::key_path("policies", member.key)));
    }
    check_extends(scope, section, policies);
    return policies;
}

PolicyLayer read_circuit(config::FaultReport& report, const Node& entry, const std::string& path) {
    PolicyLayer layer;
    layer.source = path;
    if (entry.kind != NodeKind::object) {
        report.refuse(entry.place,
                      path + ": must be an object, not " + std::string{config::kind_phrase(entry)});
        return layer;
    }
    ObjectReader reader{report, entry, path};
    read_keys(reader, "circuit", circuit_figures(), layer);
    check_order(reader, "open", layer.values.circuit.figures.open, "maxOpen",
                layer.values.circuit.figures.max_open);
    reader.refuse_unknown(circuit_keys());
    return layer;
}

std::vector<const PolicyLayer*> layers_of(const NamedPolicies& policies, std::string_view name) {
    std::vector<const PolicyLayer*> layers;
    for (auto policy = policies.find(name); policy != policies.end();
         policy = policies.find(policy->second.extends)) {
        if (policy->first == kDefaultPolicy && name != kDefaultPolicy) {
            break;
        }
        layers.insert(layers.begin(), &policy->second.layer);
    }
    return layers;
}

void refuse_unknown_name(config::FaultReport& report, const Node& value, const std::string& path,
                         std::string_view what, std::span<const std::string_view> names) {
    if (std::ranges::find(names, value.text) != names.end()) {
        return;
    }
    const auto nearest = base::nearest_names(value.text, names, 1);
    report.refuse(value.place, path + ": no " + std::string{what} + ' ' + config::shown(value) +
                                   (nearest.empty() ? std::string{}
                                                    : "; the nearest is \"" +
                                                          std::string{nearest.front()} + '"'));
}

}  // namespace holdfast::policy
