#include "config/read_config.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/nearest_name.hpp"
#include "config/config_keys.hpp"
#include "config/reading/read_context.hpp"
#include "config/reading/secret_table.hpp"
#include "config/reading/sections.hpp"
#include "config/reading/server_reader.hpp"

namespace holdfast::config {
namespace {

struct Section {
    std::string_view name;
    void (*read)(ObjectReader&, Config&);  // null = kept as it is
    bool is_kept;
};

constexpr std::array<Section, 15> kSections = {{
    {.name = "agents", .read = read_agents, .is_kept = false},
    {.name = "names", .read = read_names, .is_kept = false},
    {.name = "serverDefaults", .read = read_server_defaults, .is_kept = false},
    {.name = "limits", .read = read_limits, .is_kept = false},
    {.name = "catalogue", .read = read_catalogue, .is_kept = false},
    {.name = "ask", .read = read_ask, .is_kept = false},
    {.name = "policies", .read = nullptr, .is_kept = true},
    {.name = "classes", .read = nullptr, .is_kept = true},
    {.name = "circuits", .read = nullptr, .is_kept = true},
    {.name = "tools", .read = nullptr, .is_kept = true},
    {.name = "surface", .read = nullptr, .is_kept = true},
    {.name = "admin", .read = nullptr, .is_kept = true},
    {.name = "preset", .read = nullptr, .is_kept = true},
    {.name = "telemetry", .read = nullptr, .is_kept = true},
    {.name = "search", .read = nullptr, .is_kept = true},
}};

// Keys of the programs whose files also have servers.
constexpr std::array<std::string_view, 10> kForeignKeys = {
    "globalShortcut", "theme",       "userThemeMode", "preferences", "scale",
    "locale",         "permissions", "projects",      "sandbox",     "version"};

constexpr std::array<std::string_view, 2> kServerSections = {"mcpServers", "servers"};

bool is_server_section(std::string_view key) {
    return std::ranges::find(kServerSections, key) != kServerSections.end();
}

std::string nearest_key(std::string_view key) {
    std::vector<std::string_view> names{kServerSections.begin(), kServerSections.end()};
    for (const Section& section : kSections) {
        names.push_back(section.name);
    }
    return std::string{base::nearest_names(key, names, 1).front()};
}

void read_servers(const ReadContext& context, Member& member, Config& config) {
    if (member.value.kind != NodeKind::object) {
        context.report.refuse(member.value.place,
                              member.key + ": must be an object of servers by name, not " +
                                  std::string{kind_phrase(member.value)});
        return;
    }
    for (Member& entry : member.value.members) {
        const std::size_t faults_before = context.report.faults().size();
        auto [server, has_target] = read_server(context, entry, member.key);
        auto faults = context.report.take_external_faults_after(faults_before);
        // A disabled server needs no variables.
        if (server.is_disabled || (has_target && faults.empty())) {
            config.servers.push_back(std::move(server));
        } else if (!faults.empty()) {
            config.skipped.push_back(SkippedServer::of(server, std::move(faults)));
        }
    }
}

void read_section(const ReadContext& context, const Section& section, Member& member,
                  Config& config) {
    context.interpolator.expand(member.value, member.key);
    collect_secrets(context.secrets, member.value);
    if (section.read != nullptr) {
        if (member.value.kind == NodeKind::object) {
            ObjectReader reader{context.report, member.value, member.key};
            section.read(reader, config);
        } else {
            context.report.refuse(member.value.place, member.key + ": must be an object, not " +
                                                          std::string{kind_phrase(member.value)});
        }
    }
    if (section.is_kept) {
        config.sections.push_back(std::move(member));
    }
}

void read_other_key(const ReadContext& context, const Member& member) {
    if (member.key == "$schema") {
        return;  // for editors
    }
    const std::string path = key_path("", member.key);
    if (member.key == "inputs") {
        context.report.warn(member.key_place,
                            path +
                                ": inputs are not supported; set environment variables and "
                                "write ${NAME} instead of ${input:...}");
    } else if (std::ranges::find(kForeignKeys, member.key) != kForeignKeys.end()) {
        context.report.warn(member.key_place, path + ": belongs to another program, ignored");
    } else if (!context.report.is_full()) {
        const std::string_view replacement = replacement_of("", member.key);
        context.report.refuse(
            member.key_place,
            path + (replacement.empty()
                        ? ": unknown key; the nearest is \"" + nearest_key(member.key) + '"'
                        : ": removed key; " + std::string{replacement}));
    }
}

void refuse_unless_one_server_section(const ReadContext& context, const Node& root) {
    const Node* ours = root.find(kServerSections[0]);
    const Node* editors = root.find(kServerSections[1]);
    if (ours != nullptr && editors != nullptr) {
        context.report.refuse(editors->place,
                              "servers: the file also has \"mcpServers\", on line " +
                                  std::to_string(ours->place.line) +
                                  "; put all servers into one of them");
    }
    if (ours == nullptr && editors == nullptr) {
        context.report.warn(root.place,
                            "the file has no \"mcpServers\", so there are no tools to call");
    }
}

void read_root(const ReadContext& context, Node& root, Config& config) {
    if (root.kind != NodeKind::object) {
        context.report.refuse(root.place,
                              "the file must contain an object with \"mcpServers\", not " +
                                  std::string{kind_phrase(root)});
        return;
    }
    refuse_unless_one_server_section(context, root);
    for (Member& member : root.members) {
        const auto section = std::ranges::find(kSections, member.key, &Section::name);
        if (is_server_section(member.key)) {
            read_servers(context, member, config);
        } else if (section != kSections.end()) {
            read_section(context, *section, member, config);
        } else {
            read_other_key(context, member);
        }
    }
}

}  // namespace

std::vector<std::string_view> foreign_sections() {
    std::vector<std::string_view> names{kForeignKeys.begin(), kForeignKeys.end()};
    names.emplace_back("inputs");
    return names;
}

SkippedServer SkippedServer::of(const ServerConfig& server, std::vector<ConfigFault> faults) {
    return {.name = server.name,
            .place = server.place,
            .preset = server.preset,
            .faults = std::move(faults)};
}

std::string SkippedServer::reason() const {
    std::string text;
    for (const ConfigFault& fault : faults) {
        text.append(text.empty() ? "" : "; ").append(fault.text());
    }
    return text;
}

const Node* Config::section(std::string_view name) const noexcept {
    const auto found = std::ranges::find(sections, name, &Member::key);
    return found == sections.end() ? nullptr : &found->value;
}

ConfigOutcome read_config(std::string_view file_name, std::string_view text,
                          const Environment& environment, const ConfigLimits& limits) {
    FaultReport report{file_name, limits.report};
    Config config{.file_name = std::string{file_name}};
    if (auto root = read_document(text, report, limits.document)) {
        SecretList secrets;
        Interpolator interpolator{environment, report, secrets, limits.interpolation};
        read_root({.report = report, .interpolator = interpolator, .secrets = secrets}, *root,
                  config);
        config.secrets = secrets.values();
        config.second_choices = interpolator.second_choices();
    }
    auto warnings = report.take_warnings();
    if (report.faults().empty()) {
        return {.config = std::move(config), .warnings = std::move(warnings)};
    }
    return {.config = report.take_faults(), .warnings = std::move(warnings)};
}

}  // namespace holdfast::config
