#include "policy/policy_table.hpp"

#include <algorithm>

#include "holdfast/resilience/expect.hpp"
#include "policy/options.hpp"
#include "policy/reading/policy_fields.hpp"
#include "policy/reading/resolution.hpp"
#include "policy/reading/table_parts.hpp"

namespace holdfast::policy {
namespace {

const ServerPart& server_of(const TableParts& parts, std::string_view name) {
    const auto found = parts.servers.find(name);
    HOLDFAST_EXPECT(found != parts.servers.end());
    return found->second;
}

const config::Node* section_of(const Fragment* preset, std::string_view name) {
    if (preset == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find(preset->sections, name, &config::Member::key);
    return found == preset->sections.end() ? nullptr : &found->value;
}

std::string with_server(const ServerPart& server, bool is_own_name, const std::string& tool) {
    return is_own_name ? server.name + '.' + tool : tool;
}

ResolvedTool resolved(const ServerPart& server, const Resolution& resolution) {
    ResolvedTool tool{.policy = merged(resolution)};
    tool.policy.classes = server.classes;
    if (tool.policy.circuit.is_on) {
        tool.circuit = {.name = resolution.circuit,
                        .options = circuit_options(tool.policy.circuit.figures)};
    }
    if (resolution.read_only != nullptr) {
        tool.read_only = resolution.read_only->read_only;
        tool.is_read_only_of_file = resolution.is_read_only_of_file;
    }
    if (resolution.idempotent != nullptr) {
        tool.idempotent = resolution.idempotent->idempotent;
        tool.is_idempotent_of_file = resolution.is_idempotent_of_file;
    }
    if (resolution.alternatives != nullptr) {
        for (const std::string& other : *resolution.alternatives->alternatives) {
            tool.alternatives.push_back(
                with_server(server, resolution.has_own_alternatives, other));
        }
    }
    if (resolution.fallback != nullptr) {
        tool.fallback =
            with_server(server, resolution.has_own_fallback, resolution.fallback->fallback);
    }
    for (const AppliedLayer& applied : resolution.layers) {
        const bool says_something = (applied.layer->given & applied.keys).any();
        if (says_something && applied.layer != &server.limits) {
            tool.policy_source = applied.layer->source;
        }
    }
    return tool;
}

std::string joined(const std::vector<std::string>& texts) {
    std::string result;
    for (const std::string& text : texts) {
        result.append(result.empty() ? "" : ", ").append(text);
    }
    return result;
}

void explain_rules(const Resolution& resolution, const ResolvedTool& tool,
                   std::vector<ExplainedValue>& values) {
    const auto add_mark = [&](std::string_view key, std::optional<bool> mark,
                              const ToolRule* rule) {
        if (mark) {
            values.push_back({.key = std::string{key},
                              .value = *mark ? "true" : "false",
                              .source = rule->source});
        }
    };
    if (tool.circuit) {
        values.push_back({.key = "circuit.name",
                          .value = tool.circuit->name,
                          .source = resolution.circuit_source});
    }
    add_mark("readOnly", tool.read_only, resolution.read_only);
    add_mark("idempotent", tool.idempotent, resolution.idempotent);
    if (resolution.alternatives != nullptr) {
        values.push_back({.key = "alternatives",
                          .value = joined(tool.alternatives),
                          .source = resolution.alternatives->source});
    }
    if (resolution.fallback != nullptr) {
        values.push_back(
            {.key = "fallback", .value = tool.fallback, .source = resolution.fallback->source});
    }
}

}  // namespace

ResolvedTool PolicyTable::resolve(std::string_view server, std::string_view tool) const {
    const ServerPart& part = server_of(*parts_, server);
    return resolved(part, resolution_of(*parts_, part, tool));
}

ResolvedTool PolicyTable::resolve_server(std::string_view server) const {
    const ServerPart& part = server_of(*parts_, server);
    return resolved(part, resolution_of(*parts_, part, std::nullopt));
}

std::vector<ExplainedValue> PolicyTable::explain(std::string_view server,
                                                 std::string_view tool) const {
    const ServerPart& part = server_of(*parts_, server);
    const Resolution resolution = resolution_of(*parts_, part, tool);
    const ResolvedTool result = resolved(part, resolution);
    std::vector<ExplainedValue> values;
    const auto fields = policy_fields();
    values.reserve(fields.size());
    for (std::size_t index = 0; index < fields.size(); ++index) {
        values.push_back({.key = fields[index].path(),
                          .value = fields[index].text(result.policy),
                          .source = source_of(resolution, index)});
    }
    explain_rules(resolution, result, values);
    return values;
}

const config::ReconnectOptions& PolicyTable::reconnect(std::string_view server) const {
    return server_of(*parts_, server).reconnect;
}

const config::Node* PolicyTable::preset_section(std::string_view server,
                                                std::string_view name) const {
    return section_of(server_of(*parts_, server).preset, name);
}

const config::Node* PolicyTable::gateway_section(std::string_view name) const {
    return section_of(parts_->gateway_preset, name);
}

const SweepOptions& PolicyTable::sweep() const noexcept {
    return parts_->sweep;
}

}  // namespace holdfast::policy
