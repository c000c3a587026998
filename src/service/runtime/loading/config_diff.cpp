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

std::string section_text(const config::Config& config, std::string_view name) {
    const config::Node* section = config.section(name);
    return section == nullptr ? std::string{} : config::json_of(*section);
}

/// Sections that a part of the gateway reads only when it is set up.
constexpr std::array<std::string_view, 4> kFixedSections{"admin", "search", "surface", "telemetry"};

}  // namespace

std::vector<std::string> sections_for_a_restart(const config::Config& before,
                                                const config::Config& after) {
    std::vector<std::string> sections;
    const std::array<std::pair<std::string_view, bool>, 5> parts{{
        {"agents", before.agents == after.agents},
        {"names", before.name_prefix == after.name_prefix},
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
        if (section_text(before, name) != section_text(after, name)) {
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
