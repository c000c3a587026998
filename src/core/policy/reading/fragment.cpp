#include "policy/reading/fragment.hpp"

#include <algorithm>

#include "policy/reading/class_reader.hpp"
#include "policy/reading/rule_reader.hpp"

namespace holdfast::policy {
namespace {

using config::Member;
using config::Node;

/// Returns why a name is invalid for a circuit; empty if it is valid.
std::string_view circuit_name_fault(std::string_view name, const OuterNames* outer) {
    if (name.empty()) {
        return "a circuit needs a name";
    }
    if (outer == nullptr) {
        return {};
    }
    if (std::ranges::find(outer->servers, name) != outer->servers.end()) {
        return "is the name of a server and of its circuit; choose another name";
    }
    return name.find('/') == std::string_view::npos
               ? std::string_view{}
               : "\"/\" separates a server from its own circuits; choose another name";
}

void read_circuits(const ReadScope& scope, const Node& section, const OuterNames* outer,
                   Fragment& fragment) {
    if (section.kind != config::NodeKind::object) {
        scope.report.refuse(section.place, "circuits: must be an object of circuits by name, not " +
                                               std::string{config::kind_phrase(section)});
        return;
    }
    for (const Member& member : section.members) {
        const std::string path = config::key_path("circuits", member.key);
        const std::string_view fault = circuit_name_fault(member.key, outer);
        if (!fault.empty()) {
            scope.report.refuse(member.key_place, path + ": " + std::string{fault});
        }
        PolicyLayer layer = read_circuit(scope.report, member.value, path);
        layer.source = scope.source + path;
        fragment.circuits.insert_or_assign(member.key, std::move(layer));
    }
}

}  // namespace

Fragment read_fragment(const ReadScope& scope, const SectionLookup& section,
                       const OuterNames* outer) {
    Fragment fragment;
    if (const Node* classes = section("classes")) {
        fragment.class_changes = read_classes(scope.report, *classes, scope.classes);
    }
    const ErrorClasses classes = with_changes(scope.classes, fragment.class_changes);
    const ReadScope inner{.report = scope.report, .source = scope.source, .classes = classes};
    if (const Node* policies = section("policies")) {
        fragment.policies = read_policies(inner, *policies);
    }
    if (const Node* circuits = section("circuits")) {
        read_circuits(inner, *circuits, outer, fragment);
    }
    if (const Node* tools = section("tools")) {
        read_rules(inner, *tools, outer, fragment);
    }
    return fragment;
}

}  // namespace holdfast::policy
