#include "runtime/loaded_config.hpp"

#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fault_report.hpp"
#include "config/interpolation.hpp"
#include "config/secret_list.hpp"
#include "policy/read_policy_table.hpp"
#include "runtime/config_file.hpp"

namespace holdfast::runtime {
namespace {

void tell(const std::vector<config::ConfigFault>& faults, std::string_view kind,
          std::ostream& log) {
    for (const config::ConfigFault& fault : faults) {
        log << "holdfast: " << kind << fault.text() << "\n";
    }
}

/// Such names are common, so a variable may be set for another program.
void tell_second_choices(const std::vector<config::SecondChoice>& of_file,
                         const std::vector<config::SecondChoice>& of_presets, std::ostream& log) {
    std::string uses;
    for (const auto* choices : {&of_file, &of_presets}) {
        for (const config::SecondChoice& choice : *choices) {
            uses.append(uses.empty() ? "" : ", ").append(choice.used);
            uses.append(" (").append(choice.first).append(" is not set)");
        }
    }
    if (!uses.empty()) {
        log << "holdfast: using variables with common names: " << uses << "\n";
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

std::optional<LoadedConfig> load_everything(const std::string& file, std::ostream& log) {
    auto config = load_config(file, log);
    if (!config) {
        return std::nullopt;
    }
    const CredentialStore store = store_beside(config->file_name);
    policy::PolicyTableOutcome outcome = policy::read_policy_table(*config, store.environment);
    tell(outcome.warnings, "warning: ", log);
    tell_second_choices(config->second_choices, outcome.second_choices, log);
    if (!outcome.table) {
        tell(outcome.table.error(), "", log);
        return std::nullopt;
    }
    skip(std::move(outcome.skipped), *config);
    ResolvedServers plans = resolve_servers(*config, *outcome.table, store);
    tell(plans.warnings, "warning: ", log);
    tell(plans.faults, "", log);
    skip(std::move(plans.skipped), *config);
    config::FaultReport report{config->file_name};
    const auto telemetry = telemetry::read_telemetry_config(config->section("telemetry"), report);
    const AdminConfig admin = read_admin_config(config->section("admin"), report);
    tell(report.faults(), "", log);
    if (!plans.faults.empty() || !report.faults().empty()) {
        return std::nullopt;
    }
    SearchConfigOutcome search = read_search_config(*config, *outcome.table);
    tell(search.faults, "", log);
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
    return LoadedConfig{.config = std::move(*config),
                        .table = std::move(*outcome.table),
                        .plans = std::move(plans),
                        .search = std::move(search.config),
                        .telemetry = telemetry,
                        .admin = admin};
}

}  // namespace holdfast::runtime
