#include "config/reading/sections.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "config/config_keys.hpp"
#include "config/key_table.hpp"
#include "config/reading/secret_table.hpp"
#include "config/reading/text_list.hpp"
#include "config/reading/value_checks.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::config {

template <>
struct Choices<PrefixRule> {
    static constexpr std::array<NamedChoice<PrefixRule>, 3> kAll = {{
        {.name = "auto", .choice = PrefixRule::automatic},
        {.name = "always", .choice = PrefixRule::always},
        {.name = "never", .choice = PrefixRule::never},
    }};
};

template <>
struct Choices<PageRule> {
    static constexpr std::array<NamedChoice<PageRule>, 2> kAll = {{
        {.name = "listed", .choice = PageRule::listed},
        {.name = "loopback", .choice = PageRule::loopback},
    }};
};

namespace {

struct CheckedOrigins {
    static void read(ObjectReader& object, std::string_view name, std::vector<std::string>& into) {
        read_checked_texts(object, name, into, origin_fault);
    }
    static Node schema(const std::vector<std::string>& value) { return TextsKind::schema(value); }
};

struct CheckedHosts {
    static void read(ObjectReader& object, std::string_view name, std::vector<std::string>& into) {
        read_checked_texts(object, name, into, host_fault);
    }
    static Node schema(const std::vector<std::string>& value) { return TextsKind::schema(value); }
};

struct LocalUsersKind {
    static void read(ObjectReader& object, std::string_view name, LocalUsers& into);
    static Node schema(const LocalUsers& value);
};

struct TokensKind {
    static void read(ObjectReader& object, std::string_view name, std::vector<NamedText>& into);
    static Node schema(const std::vector<NamedText>& /*value*/) {
        return map_schema(text_schema());
    }
};

constexpr std::array kAgentsKeys = {
    key<TokensKind, &AgentsConfig::tokens>(
        "tokens",
        "Names of agents and their tokens, at least 16 characters each. If there is at least one, "
        "every agent must send "
        "`Authorization: Bearer …`. Required to listen beyond loopback"),
    key<CheckedOrigins, &AgentsConfig::origins>(
        "origins",
        "Origins of web pages that may connect to `/ws` and call `/mcp` with `fetch`, such as "
        "`\"https://ide.example\"`. All other pages are rejected with status 403. A page sends its "
        "token in "
        "`Authorization` like any agent; cookies are ignored"),
    key<ChoiceKind<PageRule>, &AgentsConfig::pages>(
        "pages",
        "Which other web pages may connect. `listed`: none. `loopback`: every page that comes from "
        "this machine, while the listener is on loopback; that includes pages of any program or "
        "user with a port here"),
    key<CheckedHosts, &AgentsConfig::hosts>(
        "hosts", "Additional host names under which clients may address the gateway"),
    key<FlagKind, &AgentsConfig::allows_insecure_http>(
        "insecureHttp",
        "`true`: listen beyond loopback although tokens then cross the network in clear text, for "
        "example behind a proxy that terminates TLS. `serve --insecure-http` does the same"),
    key<LocalUsersKind, &AgentsConfig::local>(
        "local",
        "Which users of this machine may connect to a listener on loopback while there are no "
        "tokens. `same-user`: the user that runs the gateway, and root. `any`: every user. `none`: "
        "nobody. A list such as `[\"user:bob\", \"group:dev\"]` adds users to `same-user`, by "
        "name from `/etc/passwd` and `/etc/group`, or by number. All others get status 403"),
    key<FlagKind, &AgentsConfig::has_sse>(
        "sse",
        "`true` also serves agents that only know the old HTTP+SSE transport (2024-11-05): they "
        "connect to `/sse` and send their messages to `/messages`"),
};

constexpr std::array kNamesKeys = {
    key<ChoiceKind<PrefixRule>, &Config::name_prefix>(
        "prefix",
        "Whether agents see a tool as `server__tool`. `auto`: if the config has more than one "
        "server"),
};

constexpr std::array kServerDefaultsKeys = {
    key<PositiveDuration, &ServerDefaults::start_timeout>(
        "startTimeout",
        "How long a program may take until it has finished the handshake. After this time it "
        "continues while it makes progress (it used the processor or wrote to its standard error "
        "in the "
        "last 30 s), up to four times this time in all. A program that ends earlier is reported "
        "at once"),
    key<CountKind<1, 1'000>, &ServerDefaults::parallel_starts>(
        "parallelStarts",
        "How many programs may start for the first time at once. A first start may install the "
        "program; it is one without an earlier successful start of the same command. Starts that a "
        "call waits for come first, and a program that makes no progress for 10 s does not count"),
};

constexpr std::array kCatalogueKeys = {
    key<AnyDuration, &CatalogueConfig::withdraw_after>(
        "withdrawAfter", "How long a tool stays listed after its server stops listing it"),
    key<AnyDuration, &CatalogueConfig::debounce>(
        "debounce", "Changes within this time are batched into one notification"),
    key<CountKind<1, 100'000>, &CatalogueConfig::page_size>("pageSize", "Items per page of a list"),
};

constexpr std::array kAskKeys = {
    key<PositiveDuration, &Config::ask_timeout>(
        "timeout", "How long an agent has to answer a question of a server"),
};

/// Principals of agents without a token.
constexpr std::string_view kAnonymous = "anonymous";
constexpr std::string_view kLocal = "local";

std::string_view token_fault(std::string_view name, std::string_view token) {
    if (name.empty()) {
        return "the name of an agent is empty; give it a name";
    }
    if (name == kAnonymous || name == kLocal) {
        return "is the name of agents without a token; choose another";
    }
    if (name.find('/') != std::string_view::npos) {
        return "the name of an agent must not contain \"/\"; choose another";
    }
    if (token.empty()) {
        return "the token is empty; write one, or remove the agent";
    }
    return token.size() < kMinTokenBytes
               ? "the token is too short: others could guess it; write at least 16 characters"
               : std::string_view{};
}

/// The token is all that identifies an agent.
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

void TokensKind::read(ObjectReader& object, std::string_view name, std::vector<NamedText>& into) {
    into = read_secret_table(object, name, token_fault);
    refuse_shared_tokens(object, into);
}

constexpr std::array<NamedChoice<LocalRule>, 3> kLocalRules = {{
    {.name = "same-user", .choice = LocalRule::same_user},
    {.name = "any", .choice = LocalRule::any},
    {.name = "none", .choice = LocalRule::none},
}};

std::string_view local_user_fault(std::string_view entry) {
    const std::size_t colon = entry.find(':');
    const std::string_view kind = entry.substr(0, colon);
    const bool is_valid = (kind == "user" || kind == "group") && colon + 1 < entry.size();
    return is_valid ? std::string_view{} : "must be \"user:NAME\" or \"group:NAME\"";
}

void LocalUsersKind::read(ObjectReader& object, std::string_view name, LocalUsers& into) {
    const Node* value = object.object().find(name);
    if (value == nullptr || value->kind != NodeKind::list) {
        into.rule = object.read_choice<LocalRule>(name, kLocalRules).value_or(into.rule);
        return;
    }
    read_checked_texts(object, name, into.names, local_user_fault);
    into.rule = LocalRule::listed;
}

Node LocalUsersKind::schema(const LocalUsers& /*value*/) {
    std::vector<std::string_view> names;
    names.reserve(kLocalRules.size());
    for (const auto& rule : kLocalRules) {
        names.push_back(rule.name);
    }
    return with_default(any_of({choice_schema(names), list_schema(text_schema())}),
                        text_node(names.front()));
}

}  // namespace

std::vector<KeyInfo> agents_keys() {
    return infos_of(kAgentsKeys);
}

std::vector<KeyInfo> names_keys() {
    return infos_of(kNamesKeys);
}

std::vector<KeyInfo> server_defaults_keys() {
    return infos_of(kServerDefaultsKeys);
}

std::vector<KeyInfo> catalogue_keys() {
    return infos_of(kCatalogueKeys);
}

std::vector<KeyInfo> ask_keys() {
    return infos_of(kAskKeys);
}

void read_agents(ObjectReader& section, Config& config) {
    read_object(section, kAgentsKeys, config.agents);
}

void read_names(ObjectReader& section, Config& config) {
    read_object(section, kNamesKeys, config);
}

void read_server_defaults(ObjectReader& section, Config& config) {
    read_object(section, kServerDefaultsKeys, config.server_defaults);
}

void read_catalogue(ObjectReader& section, Config& config) {
    read_object(section, kCatalogueKeys, config.catalogue);
}

void read_ask(ObjectReader& section, Config& config) {
    read_object(section, kAskKeys, config);
}

}  // namespace holdfast::config
