#include "cli/import/import_plan.hpp"

#include <algorithm>
#include <utility>

#include "cli/import/config_edit.hpp"
#include "cli/import/imported_entry.hpp"
#include "config/read_config.hpp"

namespace holdfast::cli {
namespace {

using config::Member;
using config::Node;

bool is_same(const Node& one, const Node& other) {
    if (one.kind != other.kind || one.boolean != other.boolean || one.text != other.text ||
        one.members.size() != other.members.size()) {
        return false;
    }
    const bool has_same_members = std::ranges::all_of(one.members, [&other](const Member& member) {
        const Node* value = other.find(member.key);
        return value != nullptr && is_same(member.value, *value);
    });
    return has_same_members && std::ranges::equal(one.items, other.items, is_same);
}

/// The value of unset variables while an entry is checked: it fits wherever a
/// text or a URL does.
constexpr std::string_view kAnyValue = "https://variable";

}  // namespace

ImportPlanner::ImportPlanner(const Node* servers, std::string home, config::Environment environment)
    : home_(std::move(home)), environment_(std::move(environment)) {
    if (servers != nullptr) {
        known_ = servers->members;
    }
}

void ImportPlanner::add(const ClientFile& file, ClientServers found) {
    ImportedFile imported{.file = file, .fault = std::move(found.fault), .servers = {}};
    imported.servers.reserve(found.servers.size());
    for (const ClientServer& server : found.servers) {
        imported.servers.push_back(placed(file, server));
    }
    plan_.files.push_back(std::move(imported));
}

ImportedServer ImportPlanner::placed(const ClientFile& file, const ClientServer& server) {
    ImportedServer result{.name = server.name};
    ImportedEntry imported =
        imported_entry(server.name, server.entry,
                       {.client = file.client, .project = server.project, .home = home_});
    if (imported.refusal.empty()) {
        imported.refusal = refusal_of(server.name, imported.entry);
    }
    if (!imported.refusal.empty()) {
        result.fate = ImportFate::skipped;
        result.notes = {std::move(imported.refusal)};
        return result;
    }
    result.notes = std::move(imported.notes);
    const auto same = std::ranges::find_if(known_, [&](const Member& member) {
        const bool has_name =
            member.key == server.name || member.key.starts_with(server.name + "-");
        return has_name && is_same(member.value, imported.entry);
    });
    if (same != known_.end()) {
        result.as = same->key;
        result.fate = ImportFate::known;
        return result;
    }
    result.as = free_name(server.name);
    known_.push_back({.key = result.as, .key_place = {}, .value = imported.entry});
    plan_.added.push_back(known_.back());
    return result;
}

std::string ImportPlanner::free_name(const std::string& name) const {
    std::string free = name;
    for (std::size_t number = 2; std::ranges::find(known_, free, &Member::key) != known_.end();
         ++number) {
        free = name + "-" + std::to_string(number);
    }
    return free;
}

std::string ImportPlanner::refusal_of(const std::string& name, const Node& entry) const {
    const std::string text = R"({"mcpServers":)" +
                             object_text({{.key = name, .key_place = {}, .value = entry}}, 0) + "}";
    const auto outcome = config::read_config("", text, [this](std::string_view variable) {
        const auto value = environment_(variable);
        return value ? value : std::optional<std::string>{kAnyValue};
    });
    if (!outcome.config) {
        return outcome.config.error().front().message;
    }
    const auto& skipped = outcome.config->skipped;
    return skipped.empty() ? std::string{} : skipped.front().faults.front().message;
}

}  // namespace holdfast::cli
