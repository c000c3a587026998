#include "config/credential.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/config_keys.hpp"
#include "config/key_table.hpp"
#include "config/reading/value_checks.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::config {
namespace {

constexpr std::size_t kMaxCredentials = 32;
constexpr std::size_t kMaxSources = 8;

using SourceKind = CredentialSource::Kind;

struct SourceKey {
    std::string_view key;
    SourceKind kind;
};
constexpr std::array<SourceKey, 3> kSourceKeys = {{
    {.key = "agentHeader", .kind = SourceKind::agent_header},
    {.key = "env", .kind = SourceKind::variable},
    {.key = "file", .kind = SourceKind::file},
}};

constexpr std::array kSourceInfos = {
    KeyInfo{.name = "agentHeader",
            .description = "A header of the agent's request over HTTP or WebSocket; stdio has "
                           "none. A server over WebSocket uses the value of the agent's first call "
                           "as long as the connection lasts",
            .schema = text_schema},
    KeyInfo{.name = "env",
            .description = "An environment variable of the gateway",
            .schema = text_schema},
    KeyInfo{
        .name = "file",
        .description = "A file, relative to the config; a line break after the value is removed",
        .schema = text_schema},
};

constexpr std::array kAsInfos = {
    KeyInfo{.name = "header",
            .description = "The header for a server over HTTP or WebSocket, and for an HTTP API",
            .schema = text_schema},
    KeyInfo{.name = "env",
            .description = "The environment variable for a program",
            .schema = text_schema},
    KeyInfo{.name = "prefix",
            .description = "A text before the value, such as `Bearer `",
            .schema = text_schema},
};

Node sources_schema() {
    return one_or_list_schema(object_schema(kSourceInfos));
}

Node as_schema() {
    return object_schema(kAsInfos);
}

constexpr std::array kCredentialKeys = {
    key<FlagKind, &Credential::is_required>(
        "required",
        "`true`: without a value the call is not sent, and the agent gets an error; a server whose "
        "value no agent can supply is skipped. `false`: the call is sent without the credential"),
    key<TextKind, &Credential::missing>("missing", "The text of that error"),
};

constexpr std::array kCredentialInfos = {
    KeyInfo{.name = "from",
            .description = "One source or several in order; the first one with a value is used",
            .schema = sources_schema,
            .is_required = true},
    KeyInfo{.name = "as",
            .description = "Where the value goes",
            .schema = as_schema,
            .is_required = true},
    kCredentialKeys[0].info,
    kCredentialKeys[1].info,
};

std::string small_letters(std::string text) {
    std::ranges::transform(text, text.begin(), [](char one) {
        return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
    });
    return text;
}

std::string_view name_fault(SourceKind kind, std::string_view name) {
    switch (kind) {
        case SourceKind::agent_header:
            return header_fault(name, "");
        case SourceKind::variable:
            return variable_fault(name);
        case SourceKind::file:
            break;
    }
    return name.empty() ? "must not be empty" : std::string_view{};
}

/// One source, such as `{"env": "NAME"}`.
std::optional<CredentialSource> read_source(FaultReport& report, const Node& value,
                                            const std::string& path, const CredentialUse& use) {
    constexpr std::string_view kShape = R"(must be {"agentHeader": …}, {"env": …} or {"file": …})";
    if (value.kind != NodeKind::object) {
        report.refuse(value.place, path + ": " + std::string{kShape});
        return std::nullopt;
    }
    ObjectReader reader{report, value, path};
    std::optional<CredentialSource> source;
    for (const SourceKey& known : kSourceKeys) {
        const Node* name = reader.find(known.key);
        if (name == nullptr) {
            continue;
        }
        CredentialSource read{.kind = known.kind};
        reader.read_text(known.key, read.name);
        const std::string_view fault = name_fault(known.kind, read.name);
        if (name->kind == NodeKind::text && !fault.empty()) {
            reader.refuse(*name, known.key, fault);
        } else if (known.kind == SourceKind::agent_header && !use.takes_agent_headers) {
            reader.refuse(*name, known.key,
                          "all agents share this server's environment; use \"env\" or \"file\"");
        }
        if (known.kind == SourceKind::agent_header) {
            read.name = small_letters(std::move(read.name));
        }
        source = std::move(read);
    }
    reader.refuse_unknown(kSourceInfos);
    if (value.members.size() != 1) {
        report.refuse(value.place, path + ": " + std::string{kShape});
    }
    return source;
}

void read_sources(ObjectReader& reader, const CredentialUse& use, Credential& into) {
    const Node* from = reader.find("from");
    if (from == nullptr) {
        reader.report().refuse(reader.object().place,
                               reader.path() + ": needs \"from\", where its value comes from");
        return;
    }
    const std::string path = reader.path_of("from");
    const bool is_list = from->kind == NodeKind::list;
    const std::size_t count = is_list ? from->items.size() : 1;
    if (count == 0 || count > kMaxSources) {
        reader.refuse(*from, "from",
                      "must name between 1 and " + std::to_string(kMaxSources) + " sources");
        return;
    }
    for (std::size_t index = 0; index < count; ++index) {
        const Node& one = is_list ? from->items[index] : *from;
        const std::string place = is_list ? path + '[' + std::to_string(index) + ']' : path;
        if (auto source = read_source(reader.report(), one, place, use)) {
            into.sources.push_back(std::move(*source));
        }
    }
}

void read_target(ObjectReader& reader, const CredentialUse& use, Credential& into) {
    const std::string_view key = use.is_header ? "header" : "env";
    const Node* target = reader.find_object("as");
    if (target == nullptr || target->find(key) == nullptr) {
        reader.report().refuse(reader.object().place,
                               reader.path() + ": needs \"as\": {\"" + std::string{key} + "\": …}");
        return;
    }
    ObjectReader as{reader.report(), *target, reader.path_of("as")};
    std::string& name = use.is_header ? into.header : into.variable;
    as.read_text(key, name);
    as.read_text("prefix", into.prefix);
    as.refuse_unknown(kAsInfos);
    const std::string_view fault =
        use.is_header ? header_fault(name, into.prefix) : variable_fault(name);
    const bool is_known = std::ranges::none_of(
        target->members, [](const Member& member) { return member.value.is_unresolved; });
    if (is_known && !fault.empty()) {
        reader.report().refuse(target->place, as.path_of(key) + ": " + std::string{fault},
                               has_reference(*target) ? FaultCause::external : FaultCause::file);
    }
}

}  // namespace

Node credentials_schema() {
    return list_schema(object_schema(kCredentialInfos));
}

std::optional<std::vector<Credential>> read_credentials(ObjectReader& owner,
                                                        const CredentialUse& use) {
    const Node* list = owner.find_list("credentials");
    if (list == nullptr) {
        return std::nullopt;
    }
    std::vector<Credential> credentials;
    credentials.reserve(list->items.size());
    if (list->items.size() > kMaxCredentials) {
        owner.refuse(*list, "credentials",
                     "must have at most " + std::to_string(kMaxCredentials) + " entries");
        return credentials;
    }
    for (const Node& item : list->items) {
        const std::string path =
            owner.path_of("credentials") + '[' + std::to_string(credentials.size()) + ']';
        Credential& credential = credentials.emplace_back();
        credential.place = item.place;
        if (item.kind != NodeKind::object) {
            owner.report().refuse(item.place,
                                  path + ": must be an object with \"from\" and \"as\"");
            continue;
        }
        ObjectReader reader{owner.report(), item, path};
        read_sources(reader, use, credential);
        read_target(reader, use, credential);
        read_keys(reader, kCredentialKeys, credential);
        reader.refuse_unknown(kCredentialInfos);
    }
    return credentials;
}

}  // namespace holdfast::config
