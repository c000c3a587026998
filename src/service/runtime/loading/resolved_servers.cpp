#include "runtime/loading/resolved_servers.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <variant>

#include "platform/environment.hpp"
#include "platform/read_file.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{16} * 1024 * 1024;

resilience::Result<std::string, rest::FileFault> text_of_file(const fs::path& file) {
    auto text = platform::read_unnamed_file(file.string(), kMaxFileBytes);
    if (!text) {
        return rest::FileFault{std::move(text).error().message};
    }
    return std::move(*text);
}

template <class T>
void move_to_end(std::vector<T>&& from, std::vector<T>& to) {
    std::ranges::move(from, std::back_inserter(to));
}

/// Reads an HTTP API; its credentials are those of its entry or its preset. Nothing if it cannot be
/// used, which `plans` reports.
std::optional<std::vector<config::Credential>> read_rest(const config::Config& config,
                                                         const config::ServerConfig& server,
                                                         const policy::PolicyTable& table,
                                                         const CredentialStore& store,
                                                         ResolvedServer& plan,
                                                         ResolvedServers& plans) {
    rest::RestOutcome outcome =
        rest::read_rest_api({.file_name = config.file_name,
                             .server = server,
                             .preset = table.preset_section(server.name, "rest")},
                            store.read_file);
    move_to_end(std::move(outcome.warnings), plans.warnings);
    if (!outcome.api) {
        auto faults = std::move(outcome.api).error();
        if (std::ranges::all_of(faults, &config::ConfigFault::is_external)) {
            plans.skipped.push_back({.name = server.name, .faults = std::move(faults)});
        } else {
            move_to_end(std::move(faults), plans.faults);
        }
        return std::nullopt;
    }
    plan.rest = std::move(*outcome.api);
    plan.rest->max_answer_bytes =
        std::min(plan.rest->max_answer_bytes, config.limits.downstream_message_bytes);
    return std::move(outcome.credentials);
}

/// Agents authenticate at the gateway with this header: passing it on would give their tokens for
/// the gateway to a server.
void refuse_own_tokens(const config::Config& config, const config::ServerConfig& server,
                       const std::vector<config::Credential>& credentials, ResolvedServers& plans) {
    if (config.agents.tokens.empty()) {
        return;
    }
    for (const config::Credential& credential : credentials) {
        for (const config::CredentialSource& source : credential.sources) {
            const bool is_own = source.kind == config::CredentialSource::Kind::agent_header &&
                                source.name == "authorization";
            if (is_own) {
                plans.faults.push_back(
                    {.file = config.file_name,
                     .place = credential.place,
                     .message = "mcpServers." + server.name +
                                ".credentials: \"agentHeader\": \"authorization\" would send the "
                                "agents' tokens of \"agents.tokens\" to this server; let agents "
                                "send its credential in another header"});
            }
        }
    }
}

}  // namespace

ResolvedServers resolve_servers(const config::Config& config, const policy::PolicyTable& table,
                                const CredentialStore& store) {
    ResolvedServers plans;
    for (const config::ServerConfig& server : config.servers) {
        if (server.is_disabled) {
            continue;
        }
        ResolvedServer& plan = plans.servers[server.name];
        const bool is_rest = std::holds_alternative<config::RestTarget>(server.target);
        const auto wanted = is_rest ? read_rest(config, server, table, store, plan, plans)
                                    : std::optional{server.credentials};
        if (!wanted) {
            plans.servers.erase(server.name);
            continue;
        }
        refuse_own_tokens(config, server, *wanted, plans);
        auto credentials = looked_up_credentials(*wanted, store, is_rest);
        if (!credentials) {
            plans.skipped.push_back(
                config::SkippedServer::of(server, {{.file = config.file_name,
                                                    .place = server.place,
                                                    .message = credentials.error().message,
                                                    .is_external = true}}));
            plans.servers.erase(server.name);
            continue;
        }
        plan.credentials = std::move(*credentials);
        if (plan.rest) {
            plan.rest->credentials = plan.credentials.headers;
        }
        for (const auto& [from, to] :
             {std::pair{&plan.credentials.agent_headers, &plans.agent_headers},
              std::pair{&plan.credentials.secrets, &plans.secrets}}) {
            to->insert(to->end(), from->begin(), from->end());
        }
    }
    std::ranges::sort(plans.agent_headers);
    const auto repeated = std::ranges::unique(plans.agent_headers);
    plans.agent_headers.erase(repeated.begin(), repeated.end());
    return plans;
}

CredentialStore store_beside(const std::string& config_file) {
    return {
        .environment =
            [](std::string_view name) { return platform::environment_variable(std::string{name}); },
        .read_file =
            [folder = fs::path{config_file}.parent_path()](const std::string& path) {
                return text_of_file(folder / path);  // an absolute path replaces the folder
            }};
}

}  // namespace holdfast::runtime
