#include "runtime/loaded_config.hpp"

#include <unistd.h>

#include <utility>
#include <vector>

#include "config/fault_report.hpp"
#include "config/interpolation.hpp"
#include "config/secret_list.hpp"
#include "policy/read_policy_table.hpp"
#include "runtime/config_file.hpp"
#include "runtime/loading/local_users.hpp"

namespace holdfast::runtime {
namespace {

void add_errors(ConfigMessages& messages, const std::vector<config::ConfigFault>& faults) {
    for (const config::ConfigFault& fault : faults) {
        messages.push_back({.level = logging::LogLevel::error, .text = fault.text()});
    }
}

void add_warnings(ConfigMessages& messages, const std::vector<config::ConfigFault>& warnings) {
    for (const config::ConfigFault& warning : warnings) {
        messages.push_back({.text = warning.text()});
    }
}

void add_hints(ConfigMessages& messages, const std::vector<config::ConfigFault>& hints) {
    for (const config::ConfigFault& hint : hints) {
        messages.push_back({.level = logging::LogLevel::info, .text = hint.text()});
    }
}

/// Such names are common, so a variable may be meant for another program.
void add_second_choices(ConfigMessages& messages, const std::vector<config::SecondChoice>& of_file,
                        const std::vector<config::SecondChoice>& of_presets) {
    std::string uses;
    for (const auto* choices : {&of_file, &of_presets}) {
        for (const config::SecondChoice& choice : *choices) {
            uses.append(uses.empty() ? "" : ", ").append(choice.used);
            uses.append(" (").append(choice.first).append(" is not set)");
        }
    }
    if (!uses.empty()) {
        messages.push_back({.level = logging::LogLevel::info,
                            .text = "using variables with common names: " + uses});
    }
}

void skip(std::vector<config::SkippedServer> skipped, config::Config& config) {
    for (config::SkippedServer& server : skipped) {
        std::erase_if(config.servers,
                      [&](const config::ServerConfig& other) { return other.name == server.name; });
        config.skipped.push_back(std::move(server));
    }
}

}  // namespace

std::optional<LoadedConfig> load_everything(const std::string& file, ConfigMessages& messages,
                                            bool needs_trust) {
    auto config = load_config(file, messages, needs_trust);
    if (!config) {
        return std::nullopt;
    }
    const CredentialStore store = store_beside(config->file_name);
    policy::PolicyTableOutcome outcome = policy::read_policy_table(*config, store.environment);
    add_warnings(messages, outcome.warnings);
    add_hints(messages, outcome.hints);
    add_second_choices(messages, config->second_choices, outcome.second_choices);
    if (!outcome.table) {
        add_errors(messages, outcome.table.error());
        return std::nullopt;
    }
    skip(std::move(outcome.skipped), *config);
    ResolvedServers plans = resolve_servers(*config, *outcome.table, store);
    add_warnings(messages, plans.warnings);
    add_errors(messages, plans.faults);
    skip(std::move(plans.skipped), *config);
    config::FaultReport report{config->file_name};
    const auto telemetry = telemetry::read_telemetry_config(config->section("telemetry"), report);
    const AdminConfig admin = read_admin_config(config->section("admin"), report);
    add_errors(messages, report.faults());
    if (!plans.faults.empty() || !report.faults().empty()) {
        return std::nullopt;
    }
    SearchConfigOutcome search = read_search_config(*config, *outcome.table);
    add_errors(messages, search.faults);
    if (!search.faults.empty()) {
        return std::nullopt;
    }
    config::SecretList secrets;
    for (const auto* values :
         {&config->secrets, &outcome.secrets, &plans.secrets, &search.secrets}) {
        for (const std::string& value : *values) {
            secrets.add(value);
        }
    }
    config->secrets = secrets.values();
    base::LocalAccess local = local_access_of(config->agents, ::geteuid(),
                                              platform::LocalAccounts::of_this_machine(), messages);
    return LoadedConfig{.config = std::move(*config),
                        .table = std::move(*outcome.table),
                        .plans = std::move(plans),
                        .search = std::move(search.config),
                        .telemetry = telemetry,
                        .admin = admin,
                        .local = std::move(local)};
}

}  // namespace holdfast::runtime
