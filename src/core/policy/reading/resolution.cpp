#include "policy/reading/resolution.hpp"

#include <algorithm>
#include <ranges>

#include "holdfast/resilience/expect.hpp"
#include "policy/reading/policy_fields.hpp"

namespace holdfast::policy {
namespace {

/// The keys that a tool's rule can change; the tools of a server share the others.
const GivenFields& keys_of_tools() {
    static const GivenFields keys = [] {
        GivenFields result;
        const auto fields = policy_fields();
        for (std::size_t index = 0; index < fields.size(); ++index) {
            result.set(index, fields[index].group != "limit" && !fields[index].is_circuit_figure);
        }
        return result;
    }();
    return keys;
}

const GivenFields& all_keys() {
    static const GivenFields keys = GivenFields{}.set();
    return keys;
}

/// Visits the rules that match one tool; later rules win.
class RuleWalk final {
public:
    RuleWalk(const TableParts& parts, const ServerPart& server, std::string_view tool)
        : parts_(parts),
          server_(server),
          tool_(tool),
          exposed_(server.name + '.' + std::string{tool}) {}

    void visit(const Fragment& fragment, Resolution& result) {
        const bool is_file = &fragment == &parts_.file;
        for (const ToolRule& rule : fragment.rules) {
            if (rule.matches(is_file ? std::string_view{exposed_} : tool_)) {
                take_policy(fragment, rule, result);
                take_circuit(fragment, rule, result);
                take_marks(rule, !is_file, result);
            }
        }
    }

    /// Figures come last: those of a circuit override those of any policy.
    void finish(Resolution& result) const {
        for (const PolicyLayer* layer : figures_) {
            result.layers.push_back({.layer = layer, .keys = circuit_figures()});
        }
    }

private:
    void take_policy(const Fragment& fragment, const ToolRule& rule, Resolution& result) {
        const Layers layers = layers_of(fragment.policies, rule.policy);
        for (const PolicyLayer* layer : layers) {
            result.layers.push_back({.layer = layer, .keys = keys_of_tools()});
        }
        const bool has_figures = std::ranges::any_of(layers, [](const PolicyLayer* layer) {
            return (layer->given & circuit_figures()).any();
        });
        if (rule.circuit.empty() && has_figures) {
            const std::string owner = fragment.name.empty() ? "" : fragment.name + '.';
            use(server_.name + '/' + owner + "policies." + rule.policy, rule, layers, result);
        }
    }

    void take_circuit(const Fragment& fragment, const ToolRule& rule, Resolution& result) {
        if (rule.circuit.empty()) {
            return;
        }
        const auto declared = fragment.circuits.find(rule.circuit);
        const auto other = parts_.servers.find(rule.circuit);
        if (declared != fragment.circuits.end() && &fragment == &parts_.file) {
            Layers layers = parts_.root;
            layers.push_back(&declared->second);
            use(rule.circuit, rule, std::move(layers), result);
        } else if (declared != fragment.circuits.end()) {
            use(server_.name + '/' + rule.circuit, rule, {&declared->second}, result);
        } else if (other != parts_.servers.end()) {
            Layers layers = other->second.base;
            layers.insert(layers.end(), other->second.own.begin(), other->second.own.end());
            use(rule.circuit, rule, std::move(layers), result);
        } else {
            take_preset_circuit(rule, result);
        }
    }

    /// A rule of the file that names a preset's circuit applies only where the server has that
    /// circuit.
    void take_preset_circuit(const ToolRule& rule, Resolution& result) {
        for (const Fragment* preset : {server_.preset, parts_.gateway_preset}) {
            if (preset == nullptr) {
                continue;
            }
            const auto found = preset->circuits.find(rule.circuit);
            if (found != preset->circuits.end()) {
                use(server_.name + '/' + rule.circuit, rule, {&found->second}, result);
                return;
            }
        }
    }

    void use(std::string circuit, const ToolRule& rule, Layers figures, Resolution& result) {
        result.circuit = std::move(circuit);
        result.circuit_source = rule.source;
        figures_ = std::move(figures);
    }

    static void take_marks(const ToolRule& rule, bool is_preset, Resolution& result) {
        if (rule.read_only) {
            result.read_only = &rule;
            result.is_read_only_of_file = !is_preset;
        }
        if (rule.idempotent) {
            result.idempotent = &rule;
            result.is_idempotent_of_file = !is_preset;
        }
        if (rule.alternatives) {
            result.alternatives = &rule;
            result.has_own_alternatives = is_preset;
        }
        if (!rule.fallback.empty()) {
            result.fallback = &rule;
            result.has_own_fallback = is_preset;
        }
    }

    const TableParts& parts_;
    const ServerPart& server_;
    const std::string_view tool_;
    const std::string exposed_;
    Layers figures_;  // of the circuit in use
};

void append(const Layers& layers, Resolution& result) {
    for (const PolicyLayer* layer : layers) {
        result.layers.push_back({.layer = layer, .keys = all_keys()});
    }
}

/// The entry of a server overrides the figures of its circuits.
void take_circuit_changes(const TableParts& parts, Resolution& result) {
    const auto found = parts.circuit_changes.find(result.circuit);
    if (found != parts.circuit_changes.end()) {
        result.layers.push_back({.layer = &found->second, .keys = circuit_figures()});
    }
}

}  // namespace

Resolution resolution_of(const TableParts& parts, const ServerPart& server,
                         std::optional<std::string_view> tool) {
    Resolution result{.circuit = server.name, .circuit_source = "built-in"};
    append(server.base, result);
    if (!tool) {
        append(server.own, result);
        take_circuit_changes(parts, result);
        return result;
    }
    RuleWalk walk{parts, server, *tool};
    for (const Fragment* preset : {parts.gateway_preset, server.preset}) {
        if (preset != nullptr) {
            walk.visit(*preset, result);
        }
    }
    append(server.own, result);
    walk.visit(parts.file, result);
    walk.finish(result);
    take_circuit_changes(parts, result);
    return result;
}

Policy merged(const Resolution& resolution) {
    Policy policy;
    for (const AppliedLayer& applied : resolution.layers) {
        apply(*applied.layer, applied.keys, policy);
    }
    return policy;
}

const std::string& source_of(const Resolution& resolution, std::size_t field_index) {
    const auto giver = std::ranges::find_if(
        resolution.layers.rbegin(), resolution.layers.rend(), [&](const AppliedLayer& applied) {
            return applied.layer->given[field_index] && applied.keys[field_index];
        });
    HOLDFAST_EXPECT(giver != resolution.layers.rend());  // the built-in policy sets all keys
    return giver->layer->source;
}

}  // namespace holdfast::policy
