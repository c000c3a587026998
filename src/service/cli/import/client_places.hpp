#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// The programs whose configs can be imported.
enum class Client : std::uint8_t { claude_desktop, claude_code, cursor, vscode };

/// `claude-desktop`, `claude-code`, `cursor`, `vscode`.
[[nodiscard]] std::string_view name_of(Client client) noexcept;
/// As people call it: "Claude Desktop".
[[nodiscard]] std::string_view title_of(Client client) noexcept;
[[nodiscard]] std::optional<Client> client_named(std::string_view name) noexcept;

/// A config of a client.
struct ClientFile {
    Client client = Client::claude_code;
    std::string path = {};
    std::string project = {};  ///< The folder that it is for; empty = for all.
};

/// Where the places of a user begin; all of them from the root on.
struct ClientRoots {
    std::string home = {};
    std::string config = {};   ///< `$XDG_CONFIG_HOME`, else `~/.config`.
    std::string project = {};  ///< The current folder.
};

/// Where the clients keep their configs on Linux and on macOS; whether the files exist is not
/// looked at. Those of the project come behind those of the user.
[[nodiscard]] std::vector<ClientFile> usual_client_files(const ClientRoots& roots);

/// Whose config a file is, by its path from the root on, and which project it is for. A file that
/// no client would call so is read as Claude Code's: the most common form.
[[nodiscard]] ClientFile client_file_at(const std::string& path);

}  // namespace holdfast::cli
