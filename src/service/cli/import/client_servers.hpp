#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/import/client_places.hpp"
#include "config/node.hpp"

namespace holdfast::cli {

/// A server of a client's config, as it stands there.
struct ClientServer {
    std::string name = {};
    config::Node entry = {};
    std::string project = {};  ///< The folder that it is for; empty = for all.
};

struct ClientServers {
    std::vector<ClientServer> servers = {};  ///< In the order of the file.
    std::string fault = {};                  ///< Why the file cannot be read; empty = it can.
};

/// The servers of a client's config: those under `mcpServers`, under VS Code's `servers` or
/// `mcp.servers`, and those that Claude Code keeps for each project.
[[nodiscard]] ClientServers servers_in(const ClientFile& file, std::string_view text);

}  // namespace holdfast::cli
