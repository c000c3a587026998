#include "policy/read_policy_table.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "base/nearest_name.hpp"
#include "policy/reading/policy_fields.hpp"
#include "policy/reading/preset_cache.hpp"
#include "policy/reading/server_circuits.hpp"
#include "policy/reading/table_parts.hpp"

namespace holdfast::policy {
namespace {

using config::Config;
using config::ConfigFault;
using config::FaultReport;
using config::ServerConfig;

void give(PolicyLayer& layer, std::string_view path) {
    const auto fields = policy_fields();
    for (std::size_t index = 0; index < fields.size(); ++index) {
        if (path == "*" || fields[index].path() == path) {
            layer.given.set(index);
        }
    }
}

PolicyLayer built_in_layer() {
    PolicyLayer layer{.source = "built-in"};
    give(layer, "*");
    return layer;
}

PolicyLayer limits_layer(const config::Limits& limits, bool is_child) {
    PolicyLayer layer{.source = "limits"};
    const std::size_t in_flight = is_child ? limits.in_flight_stdio : limits.in_flight;
    layer.values.limit = {.in_flight = static_cast<std::uint32_t>(in_flight),
                          .queue = static_cast<std::uint32_t>(limits.queue),
                          .wait = limits.queue_wait};
    for (const std::string_view path : {"limit.inFlight", "limit.queue", "limit.wait"}) {
        give(layer, path);
    }
    return layer;
}

PolicyLayer timeouts_layer(const ServerConfig& server) {
    PolicyLayer layer{.source = "server " + server.name};
    if (server.timeout) {
        layer.values.timeout = *server.timeout;
        give(layer, "timeout");
    }
    if (server.attempt_timeout) {
        layer.values.attempt_timeout = server.attempt_timeout;
        give(layer, "attemptTimeout");
    }
    return layer;
}

/// Common clients give up after 60 s, and the answer of the gateway needs some time too.
constexpr Duration kLongestForClients = std::chrono::seconds{55};

/// Hints at a timeout after which no client with common settings is left.
void hint_at_long_timeout(FaultReport& hints, config::Place place, const std::string& path,
                          Duration timeout) {
    if (timeout > kLongestForClients) {
        hints.warn(place,
                   path + ": hint: common clients give up after 60s, before a timeout of " +
                       config::duration_text(timeout) +
                       " has passed, and never see why the call failed. Raise the limit of " +
                       "the client, or use at most " + config::duration_text(kLongestForClients));
    }
}

std::vector<std::string_view> names_of(const auto& by_name) {
    std::vector<std::string_view> names;
    names.reserve(by_name.size());
    for (const auto& [name, value] : by_name) {
        names.push_back(name);
    }
    return names;
}

void append(const Layers& from, Layers& to) {
    to.insert(to.end(), from.begin(), from.end());
}

/// Builds a table. Lives as long as one `read_policy_table`.
class PolicyTableReader final {
public:
    PolicyTableReader(const Config& config, const config::Environment& environment,
                      std::span<const Preset> available)
        : config_(config),
          preset_cache_(available, environment, parts_->presets),
          report_(config.file_name),
          hints_(config.file_name) {}

    [[nodiscard]] PolicyTableOutcome read() {
        parts_->built_in = built_in_layer();
        read_presets();
        read_file();
        for (const ServerConfig& server : config_.servers) {
            note_external_faults(server, [&] { add_server(server); });
        }
        for (const ServerConfig& server : config_.servers) {
            note_external_faults(server, [&] { read_server_circuits(report_, server, *parts_); });
        }
        set_sweep();
        auto faults = report_.take_faults();
        if (parts_->gateway_preset != nullptr) {
            std::ranges::copy(preset_cache_.faults_of(parts_->gateway_preset->name),
                              std::back_inserter(faults));
        }
        PolicyTableOutcome outcome{.table = std::move(faults),
                                   .warnings = report_.take_warnings(),
                                   .secrets = preset_cache_.secrets(),
                                   .skipped = skipped_servers(),
                                   .hints = hints_.take_warnings(),
                                   .second_choices = second_choices()};
        std::ranges::move(preset_cache_.take_warnings(), std::back_inserter(outcome.warnings));
        if (outcome.table.error().empty()) {
            outcome.table = PolicyTable{std::move(parts_)};
        }
        return outcome;
    }

private:
    /// Runs `read`. If all its faults have external causes, they belong to the server only.
    void note_external_faults(const ServerConfig& server, const auto& read) {
        const std::size_t faults_before = report_.faults().size();
        read();
        std::ranges::move(report_.take_external_faults_after(faults_before),
                          std::back_inserter(server_faults_[server.name]));
    }

    void read_presets() {
        if (const config::Node* name = config_.section("preset")) {
            if (name->kind != config::NodeKind::text) {
                report_.refuse(name->place, "preset: must be text in double quotes, not " +
                                                std::string{config::kind_phrase(*name)});
            } else {
                parts_->gateway_preset = used_preset({.name = name->text}, name->place, "preset");
                refuse_unless_for_gateway(*name);
            }
        }
        for (const ServerConfig& server : config_.servers) {
            note_external_faults(server, [&] {
                // Only checks that it can be read.
                std::ignore = used_preset(server.preset, server.place,
                                          "server \"" + config::printable(server.name) + '"');
            });
        }
        // Other sections may use names that their presets declare.
        for (const config::SkippedServer& server : config_.skipped) {
            std::ignore = preset_cache_.read(server.preset.name);
        }
    }

    /// Null if there is no preset, or after a fault.
    const Fragment* used_preset(const config::ChosenName& chosen, config::Place place,
                                const std::string& path) {
        if (chosen.name.empty()) {
            return nullptr;
        }
        const Fragment* const preset = preset_cache_.read(chosen.name);
        if (preset == nullptr) {
            refuse_name(place, path, "preset", chosen, preset_cache_.names());
        }
        return preset;
    }

    /// Returns whether the preset of some server is unknown because of a missing or invalid
    /// variable.
    [[nodiscard]] bool has_hidden_preset() const {
        const auto is_hidden = [this](const auto& server) {
            const config::ChosenName& preset = server.preset;
            return preset.is_unknown || (preset.has_reference && !preset.name.empty() &&
                                         !parts_->presets.contains(preset.name));
        };
        return std::ranges::any_of(config_.servers, is_hidden) ||
               std::ranges::any_of(config_.skipped, is_hidden);
    }

    void refuse_unless_for_gateway(const config::Node& name) {
        const Fragment* preset = parts_->gateway_preset;
        if (preset != nullptr && !preset->is_for_gateway) {
            report_.refuse(name.place,
                           "preset: " + config::shown(name) +
                               " is a preset for one server; use it in the server's entry");
        }
    }

    void refuse_name(config::Place place, const std::string& path, std::string_view what,
                     const config::ChosenName& chosen, std::span<const std::string_view> names) {
        const auto nearest = base::nearest_names(chosen.name, names, 1);
        report_.refuse(
            place,
            path + ": no " + std::string{what} + " \"" + config::printable(chosen.name) + '"' +
                (nearest.empty() ? std::string{}
                                 : "; the nearest is \"" + std::string{nearest.front()} + '"'),
            chosen.has_reference ? config::FaultCause::external : config::FaultCause::file);
    }

    void read_file() {
        OuterNames outer;
        std::ranges::transform(config_.servers, std::back_inserter(outer.servers),
                               &ServerConfig::name);
        std::ranges::transform(config_.skipped, std::back_inserter(outer.servers),
                               &config::SkippedServer::name);
        ErrorClasses classes = *builtin_classes();
        const Presets all = has_hidden_preset() ? preset_cache_.all() : Presets{};
        const Presets& used = parts_->presets;
        for (const auto* presets : {&used, &all}) {
            for (const auto& [name, preset] : *presets) {
                std::ranges::copy(names_of(preset.circuits), std::back_inserter(outer.circuits));
                // Policies of the file may be used for servers with these presets.
                classes = with_changes(classes, preset.class_changes);
            }
        }
        parts_->file = read_fragment(
            {.report = report_, .source = "", .classes = classes},
            [&](std::string_view key) { return config_.section(key); }, &outer);
        const config::Node* circuits = config_.section("circuits");
        if (circuits != nullptr && circuits->kind == config::NodeKind::object) {
            warn_of_unused_circuits(report_, *circuits, *parts_);
        }
        hint_at_long_timeouts();
        parts_->root = {&parts_->built_in};
        append(defaults_of(parts_->gateway_preset), parts_->root);
        append(defaults_of(&parts_->file), parts_->root);
    }

    void hint_at_long_timeouts() {
        const config::Node* policies = config_.section("policies");
        for (const auto& [name, layer] : parts_->file.policies) {
            const config::Node* policy = policies == nullptr ? nullptr : policies->find(name);
            const config::Node* timeout = policy == nullptr ? nullptr : policy->find("timeout");
            if (timeout != nullptr) {
                hint_at_long_timeout(hints_, timeout->place,
                                     "policies." + config::printable(name) + ".timeout",
                                     layer.layer.values.timeout);
            }
        }
        for (const ServerConfig& server : config_.servers) {
            if (server.timeout) {
                hint_at_long_timeout(hints_, server.place,
                                     "server \"" + config::printable(server.name) + "\"",
                                     *server.timeout);
            }
        }
    }

    static Layers defaults_of(const Fragment* fragment) {
        return fragment == nullptr ? Layers{} : layers_of(fragment->policies, kDefaultPolicy);
    }

    void add_server(const ServerConfig& server) {
        const auto preset = parts_->presets.find(server.preset.name);
        ServerPart& part = parts_->servers[server.name];
        part.name = server.name;
        part.preset = preset == parts_->presets.end() ? nullptr : &preset->second;
        part.limits = limits_layer(config_.limits,
                                   std::holds_alternative<config::StdioTarget>(server.target));
        part.timeouts = timeouts_layer(server);
        part.base = parts_->root;
        part.base.insert(part.base.begin() + 1, &part.limits);
        append(defaults_of(part.preset), part.base);
        if (!server.policy.name.empty()) {
            add_server_policy(server, part);
        }
        part.own.push_back(&part.timeouts);
        part.classes = classes_for(part);
        part.reconnect = reconnect_for(server, part);
    }

    void add_server_policy(const ServerConfig& server, ServerPart& part) {
        const auto& policies = parts_->file.policies;
        if (policies.find(server.policy.name) == policies.end()) {
            refuse_name(server.place, "server \"" + config::printable(server.name) + '"', "policy",
                        server.policy, names_of(policies));
        }
        append(layers_of(policies, server.policy.name), part.own);
    }

    [[nodiscard]] std::shared_ptr<const ErrorClasses> classes_for(const ServerPart& part) const {
        ErrorClasses classes = *builtin_classes();
        const Fragment* const file = &parts_->file;
        for (const Fragment* fragment : {parts_->gateway_preset, file, part.preset}) {
            if (fragment != nullptr) {
                classes = with_changes(classes, fragment->class_changes);
            }
        }
        return std::make_shared<const ErrorClasses>(std::move(classes));
    }

    [[nodiscard]] config::ReconnectOptions reconnect_for(const ServerConfig& server,
                                                         const ServerPart& part) const {
        if (server.reconnect != config::ReconnectOptions{}) {
            return server.reconnect;
        }
        for (const Fragment* preset : {part.preset, parts_->gateway_preset}) {
            if (preset != nullptr && preset->reconnect) {
                return *preset->reconnect;
            }
        }
        return server.reconnect;
    }

    [[nodiscard]] std::vector<config::SkippedServer> skipped_servers() const {
        std::vector<config::SkippedServer> skipped;
        for (const ServerConfig& server : config_.servers) {
            std::vector<ConfigFault> faults = server_faults_.at(server.name);
            std::ranges::copy(preset_cache_.faults_of(server.preset.name),
                              std::back_inserter(faults));
            if (!server.is_disabled && !faults.empty()) {
                skipped.push_back(config::SkippedServer::of(server, std::move(faults)));
            }
        }
        return skipped;
    }

    [[nodiscard]] std::vector<config::SecondChoice> second_choices() const {
        std::vector<config::SecondChoice> choices;
        for (const auto& [name, preset] : parts_->presets) {
            std::ranges::copy(preset.second_choices, std::back_inserter(choices));
        }
        return choices;
    }

    /// All circuits are swept together, so the shortest times apply.
    void set_sweep() {
        for (const auto& [name, preset] : parts_->presets) {
            if (preset.sweep) {
                parts_->sweep.every = std::min(parts_->sweep.every, preset.sweep->every);
                parts_->sweep.idle_after =
                    std::min(parts_->sweep.idle_after, preset.sweep->idle_after);
            }
        }
    }

    const Config& config_;
    std::shared_ptr<TableParts> parts_ = std::make_shared<TableParts>();
    PresetCache preset_cache_;
    FaultReport report_;
    FaultReport hints_;
    // with external causes
    std::map<std::string, std::vector<ConfigFault>, std::less<>> server_faults_;
};

}  // namespace

PolicyTableOutcome read_policy_table(const Config& config, const config::Environment& environment,
                                     std::span<const Preset> available) {
    return PolicyTableReader{config, environment, available}.read();
}

}  // namespace holdfast::policy
