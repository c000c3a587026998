#include "policy/reading/server_circuits.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_name.hpp"
#include "policy/reading/policy_reader.hpp"

namespace holdfast::policy {
namespace {

using config::Member;
using config::Node;

void add_circuits(const Fragment* fragment, std::vector<std::string_view>& names) {
    if (fragment != nullptr) {
        for (const auto& [name, layer] : fragment->circuits) {
            names.push_back(name);
        }
    }
}

bool is_among(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::string nearest_hint(std::string_view name, std::span<const std::string_view> names) {
    const auto nearest = base::nearest_names(name, names, 1);
    return nearest.empty() ? std::string{}
                           : "; the nearest is \"" + config::printable(nearest.front()) + '"';
}

}  // namespace

void read_server_circuits(config::FaultReport& report, const config::ServerConfig& server,
                          TableParts& parts) {
    if (!server.circuits) {
        return;
    }
    const std::string path = "server \"" + config::printable(server.name) + "\": circuits";
    if (server.circuits->kind != config::NodeKind::object) {
        report.refuse(server.circuits->place,
                      path + ": must be an object of circuits by name, not " +
                          std::string{config::kind_phrase(*server.circuits)});
        return;
    }
    std::vector<std::string_view> names;
    add_circuits(parts.servers.find(server.name)->second.preset, names);
    add_circuits(parts.gateway_preset, names);
    names.push_back(server.name);
    for (const Member& member : server.circuits->members) {
        const std::string key_path = config::key_path(path, member.key);
        PolicyLayer layer = read_circuit(report, member.value, key_path);
        if (!is_among(names, member.key)) {
            report.warn(member.key_place,
                        key_path +
                            ": this server has no circuit of this name, so this has no effect" +
                            nearest_hint(member.key, names));
            continue;
        }
        layer.source = "server " + server.name + ", " + config::key_path("circuits", member.key);
        const bool is_own = member.key == server.name;
        parts.circuit_changes.insert_or_assign(
            is_own ? server.name : server.name + '/' + member.key, std::move(layer));
    }
}

void warn_of_unused_circuits(config::FaultReport& report, const Node& section,
                             const TableParts& parts) {
    std::vector<std::string_view> of_presets;
    for (const auto& [name, preset] : parts.presets) {
        add_circuits(&preset, of_presets);
    }
    std::vector<std::string_view> used = of_presets;
    for (const ToolRule& rule : parts.file.rules) {
        used.push_back(rule.circuit);
    }
    std::erase(used, std::string_view{});
    for (const Member& member : section.members) {
        const bool is_used = std::ranges::find(parts.file.rules, member.key, &ToolRule::circuit) !=
                             parts.file.rules.end();
        if (is_used) {
            continue;
        }
        report.warn(member.key_place,
                    config::key_path("circuits", member.key) +
                        ": no rule of \"tools\" uses this circuit, so it has no effect" +
                        (is_among(of_presets, member.key)
                             ? "; to change the circuit of a preset, write \"circuits\" in the "
                               "entry of its server"
                             : nearest_hint(member.key, used)));
    }
}

}  // namespace holdfast::policy
