#include "config/reading/sections.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "config/reading/secret_table.hpp"
#include "config/reading/text_list.hpp"
#include "config/reading/value_checks.hpp"

namespace holdfast::config {
namespace {

/// Whoever has no token is called this; a token of the same name would mix the two up.
constexpr std::string_view kAnonymous = "anonymous";

std::string_view token_fault(std::string_view name, std::string_view token) {
    if (name.empty()) {
        return "the name of an agent is empty; give it a name";
    }
    if (name == kAnonymous) {
        return "this is the name of agents without a token; choose another";
    }
    return token.empty() ? "the token is empty; without a token leave the agent out"
                         : std::string_view{};
}

/// Two agents with one token could not be told apart.
void refuse_shared_tokens(const ObjectReader& section, const std::vector<NamedText>& tokens) {
    const Node* object = section.object().find("tokens");
    std::map<std::string_view, std::string_view> name_of;
    for (const NamedText& token : tokens) {
        const auto [first, is_new] = name_of.try_emplace(token.value, token.name);
        if (!is_new) {
            section.report().refuse(object->find(token.name)->place,
                                    key_path(section.path_of("tokens"), token.name) +
                                        ": has the same token as \"" + printable(first->second) +
                                        "\"; give each agent its own");
        }
    }
}

}  // namespace

void read_agents(ObjectReader& section, Config& config) {
    config.agents.tokens = read_secret_table(section, "tokens", token_fault);
    refuse_shared_tokens(section, config.agents.tokens);
    read_checked_texts(section, "origins", config.agents.origins, origin_fault);
    read_checked_texts(section, "hosts", config.agents.hosts, host_fault);
    section.refuse_unknown();
}

void read_names(ObjectReader& section, Config& config) {
    constexpr std::array<NamedChoice<PrefixRule>, 3> kRules = {{
        {.name = "auto", .choice = PrefixRule::automatic},
        {.name = "always", .choice = PrefixRule::always},
        {.name = "never", .choice = PrefixRule::never},
    }};
    if (const auto rule = section.read_choice<PrefixRule>("prefix", kRules)) {
        config.name_prefix = *rule;
    }
    section.refuse_unknown();
}

void read_catalogue(ObjectReader& section, Config& config) {
    section.read_duration("withdrawAfter", config.catalogue.withdraw_after, kAnyDuration);
    section.read_duration("gather", config.catalogue.gather, kAnyDuration);
    section.read_count("pageSize", config.catalogue.page_size, {.min = 1, .max = 100'000});
    section.refuse_unknown();
}

void read_ask(ObjectReader& section, Config& config) {
    section.read_duration("timeout", config.ask_timeout, kPositiveDuration);
    section.refuse_unknown();
}

}  // namespace holdfast::config
