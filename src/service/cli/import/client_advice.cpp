#include "cli/import/client_advice.hpp"

#include "cli/program_paths.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::cli {
namespace {

/// `"command": …, "args": […]`
std::string command_members(const OwnAddress& address) {
    return R"("command": )" + jsonrpc::quoted_text(address.program) +
           R"(, "args": ["serve", "--stdio", "--config", )" +
           jsonrpc::quoted_text(address.config_file) + "]";
}

std::string entry_in(const std::string& section, const std::string& members) {
    return "{\"" + section + R"(": {"holdfast": {)" + members + "}}}";
}

}  // namespace

ClientAdvice advice_for(Client client, const OwnAddress& address) {
    const std::string command = command_members(address);
    const std::string url = R"("url": )" + jsonrpc::quoted_text(address.url);
    switch (client) {
        case Client::claude_desktop:
            return {.where = "claude_desktop_config.json (Settings, Developer, Edit Config)",
                    .stdio = entry_in("mcpServers", command),
                    .http = {}};
        case Client::claude_code:
            return {.where = "a shell",
                    .stdio = "claude mcp add --scope user holdfast -- " +
                             shell_word(address.program) + " serve --stdio --config " +
                             shell_word(address.config_file),
                    .http = "claude mcp add --scope user --transport http holdfast " +
                            shell_word(address.url)};
        case Client::cursor:
            return {.where = "~/.cursor/mcp.json",
                    .stdio = entry_in("mcpServers", command),
                    .http = entry_in("mcpServers", url)};
        case Client::vscode:
            return {.where = ".vscode/mcp.json, or the user's mcp.json",
                    .stdio = entry_in("servers", R"("type": "stdio", )" + command),
                    .http = entry_in("servers", R"("type": "http", )" + url)};
    }
    return {};
}

}  // namespace holdfast::cli
