#include "runtime/loading/config_diff.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/node_json.hpp"

namespace holdfast::runtime {
namespace {

const surface::Server* server_named(const std::vector<surface::Server>& servers,
                                    std::string_view name) {
    const auto found = std::ranges::find(servers, name, &surface::Server::name);
    return found == servers.end() ? nullptr : &*found;
}

/// Sections that a part of the gateway reads only when it is set up.
constexpr std::array<std::string_view, 4> kFixedSections{"admin", "search", "surface", "telemetry"};

/// The section without the keys that a reload applies.
std::string fixed_text(const config::Config& config, std::string_view name) {
    const config::Node* section = config.section(name);
    if (section == nullptr) {
        return {};
    }
    config::Node fixed = *section;
    if (name == "admin") {
        std::erase_if(fixed.members, [](const config::Member& one) { return one.key == "token"; });
    }
    return config::json_of(fixed);
}

const std::string* token_of(const AccessRules& rules, std::string_view principal) {
    const auto found = std::ranges::find(rules.tokens, principal, &config::NamedText::name);
    return found == rules.tokens.end() ? nullptr : &found->value;
}

/// Whether a local user, named by its principal, may connect without a token.
bool admits(const AccessRules& rules, std::string_view principal) {
    using Rule = base::LocalAccess::Rule;
    if (!rules.tokens.empty() || rules.local.rule == Rule::none) {
        return false;
    }
    const auto& others = rules.local.others;
    return principal == base::kOwnUser || rules.local.rule == Rule::any ||
           std::ranges::any_of(others, [principal](const auto& user) {
               return principal == std::string{base::kOwnUser} + '/' + user.second;
           });
}

}  // namespace

AccessRules access_rules_of(const LoadedConfig& loaded) {
    return {.tokens = loaded.config.agents.tokens, .local = loaded.local};
}

bool loses_access(const std::string& principal, const AccessRules& before,
                  const AccessRules& after) {
    if (const std::string* token = token_of(before, principal)) {
        const std::string* kept = token_of(after, principal);
        return kept == nullptr || *kept != *token;
    }
    // Agents on stdio have the principal "anonymous" and no credential to lose.
    const bool is_local =
        principal == base::kOwnUser || principal.starts_with(std::string{base::kOwnUser} + '/');
    return is_local && !admits(after, principal);
}

std::vector<std::string> sections_for_a_restart(const config::Config& before,
                                                const config::Config& after) {
    std::vector<std::string> sections;
    const std::array<std::pair<std::string_view, bool>, 5> parts{{
        {"names", before.name_prefix == after.name_prefix},
        {"serverDefaults",
         before.server_defaults.parallel_starts == after.server_defaults.parallel_starts},
        {"limits", before.limits == after.limits},
        {"catalogue", before.catalogue == after.catalogue},
        {"ask", before.ask_timeout == after.ask_timeout},
    }};
    for (const auto& [name, is_same] : parts) {
        if (!is_same) {
            sections.emplace_back(name);
        }
    }
    for (const std::string_view name : kFixedSections) {
        if (fixed_text(before, name) != fixed_text(after, name)) {
            sections.emplace_back(name);
        }
    }
    return sections;
}

ServerChanges describe_change(const std::vector<surface::Server>& before,
                              const std::vector<surface::Server>& after) {
    ServerChanges changes;
    for (const surface::Server& server : after) {
        const surface::Server* known = server_named(before, server.name);
        if (known == nullptr) {
            changes.added.push_back(server.name);
        } else if (known->downstream != server.downstream) {
            changes.changed.push_back(server.name);
        } else {
            ++changes.unchanged_count;
        }
    }
    for (const surface::Server& server : before) {
        if (server_named(after, server.name) == nullptr) {
            changes.removed.push_back(server.name);
        }
    }
    return changes;
}

}  // namespace holdfast::runtime
