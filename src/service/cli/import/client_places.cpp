#include "cli/import/client_places.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

struct ClientName {
    Client client = Client::claude_code;
    std::string_view name = {};
    std::string_view title = {};
};

constexpr std::array<ClientName, 4> kClients = {{
    {.client = Client::claude_desktop, .name = "claude-desktop", .title = "Claude Desktop"},
    {.client = Client::claude_code, .name = "claude-code", .title = "Claude Code"},
    {.client = Client::cursor, .name = "cursor", .title = "Cursor"},
    {.client = Client::vscode, .name = "vscode", .title = "VS Code"},
}};

const ClientName& entry_of(Client client) noexcept {
    return *std::ranges::find(kClients, client, &ClientName::client);
}

}  // namespace

std::string_view name_of(Client client) noexcept {
    return entry_of(client).name;
}

std::string_view title_of(Client client) noexcept {
    return entry_of(client).title;
}

std::optional<Client> client_named(std::string_view name) noexcept {
    const auto* found = std::ranges::find(kClients, name, &ClientName::name);
    return found == kClients.end() ? std::nullopt : std::optional{found->client};
}

std::vector<ClientFile> usual_client_files(const ClientRoots& roots) {
    const std::string mac = roots.home + "/Library/Application Support";
    std::vector<ClientFile> files;
    const auto add = [&files](Client client, std::string path, std::string project = {}) {
        files.push_back({.client = client, .path = std::move(path), .project = std::move(project)});
    };
    for (const std::string& base : {roots.config, mac}) {
        add(Client::claude_desktop, base + "/Claude/claude_desktop_config.json");
    }
    add(Client::claude_code, roots.home + "/.claude.json");
    add(Client::cursor, roots.home + "/.cursor/mcp.json");
    for (const std::string& base : {roots.config, mac}) {
        add(Client::vscode, base + "/Code/User/mcp.json");
        add(Client::vscode, base + "/Code/User/settings.json");
    }
    add(Client::claude_code, roots.project + "/.mcp.json", roots.project);
    add(Client::cursor, roots.project + "/.cursor/mcp.json", roots.project);
    add(Client::vscode, roots.project + "/.vscode/mcp.json", roots.project);
    return files;
}

ClientFile client_file_at(const std::string& path) {
    const fs::path file{path};
    const std::string name = file.filename().string();
    const fs::path folder = file.parent_path();
    const std::string folder_name = folder.filename().string();
    if (name == "claude_desktop_config.json") {
        return {.client = Client::claude_desktop, .path = path};
    }
    if (folder_name == ".cursor") {
        return {.client = Client::cursor, .path = path, .project = folder.parent_path().string()};
    }
    if (folder_name == ".vscode") {
        return {.client = Client::vscode, .path = path, .project = folder.parent_path().string()};
    }
    if (folder_name == "User") {
        return {.client = Client::vscode, .path = path};
    }
    return {.client = Client::claude_code,
            .path = path,
            .project = name == ".mcp.json" ? folder.string() : std::string{}};
}

}  // namespace holdfast::cli
