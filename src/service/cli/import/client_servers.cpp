#include "cli/import/client_servers.hpp"

#include <utility>

#include "config/document.hpp"

namespace holdfast::cli {
namespace {

using config::Member;
using config::Node;

// Claude Code stores its whole history next to its servers.
constexpr config::DocumentLimits kLimits{
    .max_bytes = std::size_t{64} * 1024 * 1024, .max_depth = 256, .max_values = 4'000'000};

void add_servers(const Node* section, const std::string& project, ClientServers& found) {
    if (section == nullptr) {
        return;
    }
    for (const Member& member : section->members) {
        found.servers.push_back({.name = member.key, .entry = member.value, .project = project});
    }
}

}  // namespace

ClientServers servers_in(const ClientFile& file, std::string_view text) {
    ClientServers found;
    config::FaultReport report{file.path};
    const auto root = config::read_document(text, report, kLimits);
    if (!root) {
        const auto faults = report.take_faults();
        found.fault = faults.empty() ? file.path + " cannot be read" : faults.front().text();
        return found;
    }
    add_servers(root->find("mcpServers"), file.project, found);
    add_servers(root->find("servers"), file.project, found);
    if (const Node* settings = root->find("mcp")) {
        add_servers(settings->find("servers"), file.project, found);
    }
    if (const Node* projects = root->find("projects")) {
        for (const Member& project : projects->members) {
            add_servers(project.value.find("mcpServers"), project.key, found);
        }
    }
    return found;
}

}  // namespace holdfast::cli
