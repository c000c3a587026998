#include "config/reading/server_reader.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/nearest_name.hpp"
#include "config/config_keys.hpp"
#include "config/key_table.hpp"
#include "config/read_reconnect.hpp"
#include "config/reading/secret_table.hpp"
#include "config/reading/value_checks.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::config {

template <>
struct Choices<SessionScope> {
    static constexpr std::array<NamedChoice<SessionScope>, 2> kAll = {{
        {.name = "shared", .choice = SessionScope::shared},
        {.name = "per-agent", .choice = SessionScope::per_agent},
    }};
};

template <>
struct Choices<EraChoice> {
    static constexpr std::array<NamedChoice<EraChoice>, 3> kAll = {{
        {.name = "auto", .choice = EraChoice::automatic},
        {.name = "legacy", .choice = EraChoice::legacy},
        {.name = "modern", .choice = EraChoice::modern},
    }};
};

namespace {

/// Names of variables or headers, with their values.
Node named_texts_schema() {
    return map_schema(any_of({text_schema(), object_node({{"type", text_node("number")}}),
                              object_node({{"type", text_node("boolean")}}),
                              object_node({{"type", text_node("null")}})}));
}

Node target_type_schema() {
    constexpr std::array<std::string_view, 8> kTypes = {
        "stdio", "http", "streamable-http", "sse", "ws", "rest", "websocket", "streamableHttp"};
    return choice_schema(kTypes);
}

Node privileges_schema() {
    constexpr std::array<std::string_view, 2> kWords = {"drop", "keep"};
    return choice_schema(kWords);
}

Node timeout_schema() {
    // Other programs write numbers, which are ignored with a warning.
    return any_of(
        {duration_schema(kPositiveDuration), object_node({{"type", text_node("number")}})});
}

Node list_of_texts_schema() {
    return list_schema(text_schema());
}

/// Keys that say how to reach a server. They depend on each other: `read_target` and
/// `read_credentials` read them.
constexpr std::array kTargetKeys = {
    KeyInfo{.name = "type",
            .description = "How to reach the server. `http` tries Streamable HTTP first and falls "
                           "back to HTTP+SSE; `rest` is a plain HTTP API; `websocket` and "
                           "`streamableHttp` are other names of `ws` and `streamable-http`. "
                           "Default: `stdio` with `command`, `ws` with `listen` or a `ws://` URL, "
                           "else `http`",
            .schema = target_type_schema},
    KeyInfo{.name = "command",
            .description = "The program to start, which speaks MCP on its standard streams",
            .schema = text_schema},
    KeyInfo{.name = "args",
            .description = "The arguments of the program",
            .schema = list_of_texts_schema},
    KeyInfo{.name = "env",
            .description = "Environment variables of the program, in addition to the basic ones "
                           "(`PATH`, `HOME`, `LANG`, proxies …)",
            .schema = named_texts_schema},
    KeyInfo{.name = "cwd",
            .description = "The folder to start the program in. Default: that of the gateway",
            .schema = text_schema},
    KeyInfo{.name = "privileges",
            .description = "`keep` lets the program and what it starts gain privileges by programs "
                           "that grant them, such as `sudo`. Default: `drop`, they cannot "
                           "(`no_new_privs`)",
            .schema = privileges_schema},
    KeyInfo{.name = "url",
            .description = "The address of a server over HTTP, or over WebSocket with `ws://`",
            .schema = text_schema},
    KeyInfo{.name = "headers",
            .description = "HTTP headers of every request to the server",
            .schema = named_texts_schema},
    KeyInfo{.name = "listen",
            .description = "The path, on all addresses of `--http`, where a server connects to the "
                           "gateway over WebSocket; not `/mcp`, `/ws`, `/sse` or `/messages`",
            .schema = text_schema},
    KeyInfo{.name = "token",
            .description = "The token of a server that connects to the gateway; required with "
                           "`listen`",
            .schema = text_schema},
    KeyInfo{.name = "origins",
            .description = "Origins of web pages that may connect at `listen`. Others are rejected "
                           "with status 403. Programs other than browsers send no origin and need "
                           "only the token",
            .schema = list_of_texts_schema},
    KeyInfo{.name = "credentials",
            .description = "Secrets from outside this file",
            .schema = credentials_schema},
};

template <std::optional<Duration> ServerConfig::* Member>
void read_timeout(ObjectReader& reader, std::string_view key, ServerConfig& server) {
    const Node* value = reader.find(key);
    if (value == nullptr) {
        return;
    }
    if (value->kind == NodeKind::number) {
        // Other programs write numbers, some in seconds and some in milliseconds.
        reader.report().warn(value->place, reader.path_of(key) +
                                               ": a number without a unit is ignored; write \"" +
                                               printable(value->text) + "s\" if seconds are meant");
        return;
    }
    Duration duration = Duration::zero();
    reader.read_duration(key, duration, kPositiveDuration);
    if (duration > Duration::zero()) {
        server.*Member = duration;
    }
}

template <ChosenName ServerConfig::* Member>
void read_chosen_name(ObjectReader& reader, std::string_view key, ServerConfig& server) {
    ChosenName& chosen = server.*Member;
    reader.read_text(key, chosen.name);
    const Node* value = reader.object().find(key);
    chosen.has_reference = value != nullptr && has_reference(*value);
    chosen.is_unknown = value != nullptr && value->is_unresolved;
}

/// Keys of servers of every type, with their readers.
constexpr std::array kCommonKeys = {
    Key<ServerConfig>{.info = {.name = "preset",
                               .description = "The name of a built-in preset for this server",
                               .schema = text_schema},
                      .read = read_chosen_name<&ServerConfig::preset>},
    Key<ServerConfig>{.info = {.name = "policy",
                               .description = "The name of a policy of `policies` for this server",
                               .schema = text_schema},
                      .read = read_chosen_name<&ServerConfig::policy>},
    Key<ServerConfig>{.info = {.name = "timeout",
                               .description = "Timeout of a whole call. A number without a unit is "
                                              "ignored with a warning. Default: that of the policy",
                               .schema = timeout_schema},
                      .read = read_timeout<&ServerConfig::timeout>},
    Key<ServerConfig>{.info = {.name = "attemptTimeout",
                               .description = "Timeout of one attempt, like `timeout`",
                               .schema = timeout_schema},
                      .read = read_timeout<&ServerConfig::attempt_timeout>},
    Key<ServerConfig>{.info = {.name = "startTimeout",
                               .description = "How long the start may take, until the end of the "
                                              "handshake. A number without a unit is ignored with "
                                              "a warning. Default: `serverDefaults.startTimeout` "
                                              "for a program, `30s` for others",
                               .schema = timeout_schema},
                      .read = read_timeout<&ServerConfig::start_timeout>},
    Key<ServerConfig>{
        .info = {.name = "reconnect",
                 .description = "How to reconnect. The delay returns to `delay` after a "
                                "connection that answered a request and lasted at least as long "
                                "as the last delay",
                 .schema = [] { return object_schema(reconnect_keys()); }},
        .read = [](ObjectReader& reader, std::string_view,
                   ServerConfig& server) { server.reconnect = read_reconnect(reader); }},
    Key<ServerConfig>{
        .info = {.name = "circuits",
                 .description = "Figures of the server's circuits, by name",
                 .schema =
                     [] { return object_node({{"$ref", text_node("#/properties/circuits")}}); }},
        .read =
            [](ObjectReader& reader, std::string_view key, ServerConfig& server) {
                if (const Node* circuits = reader.find(key)) {
                    server.circuits = *circuits;
                }
            }},
    key<FlagKind, &ServerConfig::is_disabled>("disabled", "`true` ignores the server"),
    key<ChoiceKind<SessionScope>, &ServerConfig::session>(
        "session",
        "`shared`: all agents use one session. `per-agent`: each agent has its own. Default: "
        "shared, unless an HTTP server issues session ids"),
    key<ChoiceKind<EraChoice>, &ServerConfig::era>(
        "era",
        "Which era of the protocol the gateway speaks with the server. `auto`: modern (2026-07-28) "
        "if the server speaks it; agents of the legacy era use the server's legacy era if it has "
        "one. `legacy`, `modern`: only this era"),
    key<FlagKind, &ServerConfig::prefix>(
        "prefix",
        "Whether agents see the tools of this server as `server__tool`. Default: as `names.prefix` "
        "says"),
    key<FlagKind, &ServerConfig::trusts_annotations>(
        "trustAnnotations",
        "`false`: the gateway ignores the server's `readOnlyHint` and `idempotentHint`, so calls "
        "of its tools count as writes unless a preset or a rule of `tools` says otherwise. "
        "`destructiveHint` applies in any case"),
};

struct ForeignKey {
    std::string_view name;
    std::string_view advice;
};
constexpr std::array<ForeignKey, 8> kForeignServerKeys = {{
    {.name = "envFile", .advice = "ignored; copy the variables of the file into \"env\""},
    {.name = "autoApprove", .advice = "ignored; the agent's program handles approvals"},
    {.name = "alwaysAllow", .advice = "ignored; the agent's program handles approvals"},
    {.name = "enabled", .advice = "ignored; write \"disabled\": true to disable a server"},
    {.name = "transport", .advice = "ignored; use \"type\""},
    {.name = "transportType", .advice = "ignored; use \"type\""},
    {.name = "serverUrl", .advice = "ignored; use \"url\""},
    {.name = "httpUrl", .advice = "ignored; use \"url\""},
}};

std::vector<std::string_view> server_key_names() {
    std::vector<std::string_view> names;
    std::ranges::transform(server_keys(), std::back_inserter(names), &KeyInfo::name);
    return names;
}

bool is_server_key(std::string_view key) {
    const std::vector<std::string_view> names = server_key_names();
    return std::ranges::find(names, key) != names.end();
}

std::string foreign_key_advice(std::string_view key) {
    const auto known = std::ranges::find(kForeignServerKeys, key, &ForeignKey::name);
    if (known != kForeignServerKeys.end()) {
        return std::string{known->advice};
    }
    const auto meant = base::likely_name(key, server_key_names());
    return meant ? "unknown key, ignored; did you mean \"" + std::string{*meant} + "\"?"
                 : "unknown key, ignored";
}

/// Another module reads the entry of an HTTP API.
bool is_rest(const Node& entry) {
    const Node* type = entry.find("type");
    return type != nullptr && type->text == "rest";
}

void expand_entry(const ReadContext& context, Node& entry, const std::string& path) {
    if (Node* type = entry.find("type")) {
        context.interpolator.expand(*type, key_path(path, "type"));
    }
    const bool takes_all_keys = is_rest(entry);
    for (Member& member : entry.members) {
        if (takes_all_keys || is_server_key(member.key)) {
            context.interpolator.expand(member.value, key_path(path, member.key));
        }
    }
}

void warn_of_unused_keys(const ObjectReader& reader, bool is_kind_known) {
    for (const Member& member : reader.object().members) {
        if (reader.is_known(member.key)) {
            continue;
        }
        const std::string path = reader.path_of(member.key);
        const std::string_view replacement = replacement_of(reader.path(), member.key);
        if (!replacement.empty()) {
            reader.report().refuse(member.key_place,
                                   path + ": removed key; " + std::string{replacement});
        } else if (!is_server_key(member.key)) {
            reader.report().warn_once("key " + member.key, member.key_place,
                                      path + ": " + foreign_key_advice(member.key));
        } else if (is_kind_known) {
            reader.report().warn(member.key_place,
                                 path + ": has no effect on a server of this type");
        }
    }
}

/// A session opened with the credentials of one agent must not serve others.
void refuse_shared_agent_headers(const ObjectReader& reader, const ServerConfig& server) {
    const bool is_of_agent =
        std::ranges::any_of(server.credentials, [](const Credential& credential) {
            return std::ranges::any_of(credential.sources, [](const CredentialSource& source) {
                return source.kind == CredentialSource::Kind::agent_header;
            });
        });
    if (is_of_agent && server.session == SessionScope::shared) {
        reader.refuse(*reader.object().find("session"), "session",
                      "must be \"per-agent\" with credentials of the agents");
    }
}

void read_credentials_of(ObjectReader& reader, const std::optional<ServerTarget>& target,
                         ServerConfig& server) {
    if (!target || std::holds_alternative<WebSocketListenTarget>(*target)) {
        return;
    }
    const CredentialUse use{.is_header = !std::holds_alternative<StdioTarget>(*target),
                            .takes_agent_headers = !std::holds_alternative<StdioTarget>(*target)};
    if (auto credentials = read_credentials(reader, use)) {
        server.credentials = std::move(*credentials);
        refuse_shared_agent_headers(reader, server);
    }
}

}  // namespace

bool is_common_server_key(std::string_view key) {
    return key == "type" || std::ranges::any_of(kCommonKeys, [key](const auto& common) {
               return common.info.name == key;
           });
}

std::vector<KeyInfo> server_keys() {
    std::vector<KeyInfo> keys{kTargetKeys.begin(), kTargetKeys.end()};
    std::ranges::copy(infos_of(kCommonKeys), std::back_inserter(keys));
    return keys;
}

ReadServer read_server(const ReadContext& context, Member& entry, const std::string& section_path) {
    ServerConfig server{.name = entry.key, .place = entry.key_place};
    const std::string path = key_path(section_path, entry.key);
    const std::string_view fault = server_name_fault(entry.key);
    if (!fault.empty()) {
        context.report.refuse(entry.key_place, path + ": " + std::string{fault});
    }
    if (entry.value.kind != NodeKind::object) {
        context.report.refuse(entry.value.place, path +
                                                     ": must be an object with \"command\" or "
                                                     "\"url\", not " +
                                                     std::string{kind_phrase(entry.value)});
        return {.server = std::move(server)};
    }
    expand_entry(context, entry.value, path);
    collect_secrets(context.secrets, entry.value);
    ObjectReader reader{context.report, entry.value, path};
    read_keys(reader, kCommonKeys, server);
    auto target = read_target(reader);
    if (!is_rest(entry.value)) {
        read_credentials_of(reader, target, server);
        warn_of_unused_keys(reader, target.has_value());
    }
    if (!target) {
        return {.server = std::move(server)};
    }
    server.target = std::move(*target);
    if (auto* rest = std::get_if<RestTarget>(&server.target)) {
        // A change of circuit figures alone must not restart the server.
        std::erase_if(rest->entry.members,
                      [](const Member& member) { return member.key == "circuits"; });
    }
    return {.server = std::move(server), .has_target = true};
}

}  // namespace holdfast::config
