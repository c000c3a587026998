#include "config/reading/server_reader.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/nearest_name.hpp"
#include "config/reading/secret_table.hpp"
#include "config/reading/value_checks.hpp"

namespace holdfast::config {
namespace {

constexpr std::array<std::string_view, 21> kServerKeys = {
    "type",    "command",        "args",        "env",       "cwd",
    "url",     "headers",        "credentials", "listen",    "token",
    "origins", "preset",         "policy",      "prefix",    "session",
    "timeout", "attemptTimeout", "disabled",    "reconnect", "trustAnnotations",
    "circuits"};

struct ForeignKey {
    std::string_view name;
    std::string_view advice;
};
constexpr std::array<ForeignKey, 8> kForeignKeys = {{
    {.name = "envFile", .advice = "the file is not read; copy its variables into \"env\""},
    {.name = "autoApprove", .advice = "it is ignored; approvals stay with the agent's program"},
    {.name = "alwaysAllow", .advice = "it is ignored; approvals stay with the agent's program"},
    {.name = "enabled", .advice = "it is ignored; write \"disabled\": true to leave a server out"},
    {.name = "transport", .advice = "it is ignored; write it as \"type\""},
    {.name = "transportType", .advice = "it is ignored; write it as \"type\""},
    {.name = "serverUrl", .advice = "it is ignored; write it as \"url\""},
    {.name = "httpUrl", .advice = "it is ignored; write it as \"url\""},
}};

bool is_server_key(std::string_view key) {
    return std::ranges::find(kServerKeys, key) != kServerKeys.end();
}

std::string foreign_key_advice(std::string_view key) {
    const auto known = std::ranges::find(kForeignKeys, key, &ForeignKey::name);
    if (known != kForeignKeys.end()) {
        return std::string{known->advice};
    }
    const auto meant = base::likely_name(key, kServerKeys);
    return meant ? "it is ignored; did you mean \"" + std::string{*meant} + "\"?"
                 : "it is not a key of Holdfast and is ignored";
}

/// A REST backend's entry is for another module, which knows its keys.
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
        if (!is_server_key(member.key)) {
            reader.report().warn_once("key " + member.key, member.key_place,
                                      path + ": " + foreign_key_advice(member.key));
        } else if (is_kind_known) {
            reader.report().warn(member.key_place,
                                 path + ": it has no effect on a server of this kind");
        }
    }
}

void read_timeout(ObjectReader& reader, std::string_view key, std::optional<Duration>& into) {
    const Node* value = reader.find(key);
    if (value == nullptr) {
        return;
    }
    if (value->kind == NodeKind::number) {
        // Other programs write numbers here, some of seconds and some of milliseconds.
        reader.report().warn(value->place, reader.path_of(key) +
                                               ": a number without a unit is ignored; write \"" +
                                               printable(value->text) + "s\" if seconds are meant");
        return;
    }
    Duration duration = Duration::zero();
    reader.read_duration(key, duration, kPositiveDuration);
    if (duration > Duration::zero()) {
        into = duration;
    }
}

ReconnectOptions read_reconnect(ObjectReader& entry) {
    ReconnectOptions options;
    const Node* object = entry.find_object("reconnect");
    if (object == nullptr) {
        return options;
    }
    ObjectReader reader{entry.report(), *object, entry.path_of("reconnect")};
    reader.read_duration("delay", options.delay, kPositiveDuration);
    reader.read_number("multiplier", options.multiplier, {.min = 1, .max = 100});
    reader.read_duration("maxDelay", options.max_delay, kPositiveDuration);
    reader.read_number("jitter", options.jitter, {.min = 0, .max = 1});
    reader.read_count("attempts", options.attempts, {.min = 1, .max = 1'000'000});
    reader.refuse_unknown();
    if (options.delay > options.max_delay) {
        reader.refuse_together({"delay", "maxDelay"},
                               "\"delay\" is " + duration_text(options.delay) +
                                   " and must not be longer than \"maxDelay\", which is " +
                                   duration_text(options.max_delay));
    }
    return options;
}

ChosenName read_chosen_name(ObjectReader& entry, std::string_view key) {
    ChosenName chosen;
    entry.read_text(key, chosen.name);
    const Node* value = entry.object().find(key);
    chosen.has_reference = value != nullptr && has_reference(*value);
    chosen.is_unknown = value != nullptr && value->is_unresolved;
    return chosen;
}

void read_common_keys(ObjectReader& reader, ServerConfig& server) {
    constexpr std::array<NamedChoice<SessionScope>, 2> kScopes = {{
        {.name = "shared", .choice = SessionScope::shared},
        {.name = "per-agent", .choice = SessionScope::per_agent},
    }};
    reader.read_bool("disabled", server.is_disabled);
    server.session = reader.read_choice<SessionScope>("session", kScopes);
    reader.read_bool("prefix", server.prefix);
    reader.read_bool("trustAnnotations", server.trusts_annotations);
    server.preset = read_chosen_name(reader, "preset");
    server.policy = read_chosen_name(reader, "policy");
    read_timeout(reader, "timeout", server.timeout);
    read_timeout(reader, "attemptTimeout", server.attempt_timeout);
    server.reconnect = read_reconnect(reader);
    if (const Node* circuits = reader.find("circuits")) {
        server.circuits = *circuits;
    }
}

/// A session is opened with the credentials of one agent, so it is that agent's.
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
    read_common_keys(reader, server);
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
        // Other figures of a circuit do not make another backend of it.
        std::erase_if(rest->entry.members,
                      [](const Member& member) { return member.key == "circuits"; });
    }
    return {.server = std::move(server), .has_target = true};
}

}  // namespace holdfast::config
