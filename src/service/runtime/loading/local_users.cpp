#include "runtime/loading/local_users.hpp"

#include <fmt/core.h>

#include <string_view>
#include <vector>

namespace holdfast::runtime {
namespace {

using Rule = base::LocalAccess::Rule;

constexpr std::string_view kUser = "user:";
constexpr std::string_view kGroup = "group:";

Rule rule_of(config::LocalRule rule) {
    switch (rule) {
        case config::LocalRule::same_user:
        case config::LocalRule::listed:
            return Rule::listed;
        case config::LocalRule::any:
            return Rule::any;
        case config::LocalRule::none:
            return Rule::none;
    }
    return Rule::none;
}

std::optional<std::vector<uid_t>> users_named(std::string_view entry,
                                              const platform::LocalAccounts& accounts) {
    if (entry.starts_with(kGroup)) {
        return accounts.members(entry.substr(kGroup.size()));
    }
    const auto user = accounts.user(entry.substr(kUser.size()));
    return user ? std::optional{std::vector{*user}} : std::nullopt;
}

}  // namespace

base::LocalAccess local_access_of(const config::AgentsConfig& agents, uid_t own,
                                  const platform::LocalAccounts& accounts,
                                  ConfigMessages& messages) {
    base::LocalAccess access{.rule = rule_of(agents.local.rule), .own = own};
    for (const std::string& entry : agents.local.names) {
        const auto users = users_named(entry, accounts);
        if (!users) {
            messages.push_back(
                {.text = fmt::format("agents.local: \"{}\" admits nobody, because this machine's "
                                     "/etc/{} has no such name; correct it, or write the number",
                                     entry, entry.starts_with(kGroup) ? "group" : "passwd")});
            continue;
        }
        for (const uid_t user : *users) {
            access.others.emplace(user, accounts.name_of(user));
        }
    }
    return access;
}

}  // namespace holdfast::runtime
