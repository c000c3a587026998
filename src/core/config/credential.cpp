#include "config/credential.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/reading/value_checks.hpp"

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

/// `{"env": "NAME"}` and its kin.
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
                          "all agents share what this server is started with; use "
                          "\"env\" or \"file\"");
        }
        if (known.kind == SourceKind::agent_header) {
            read.name = small_letters(std::move(read.name));
        }
        source = std::move(read);
    }
    reader.refuse_unknown();
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
    as.refuse_unknown();
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
        reader.read_bool("required", credential.is_required);
        reader.read_text("missing", credential.missing);
        reader.refuse_unknown();
    }
    return credentials;
}

}  // namespace holdfast::config
