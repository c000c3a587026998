#pragma once

#include <optional>
#include <string>

#include "config/node.hpp"
#include "config/object_reader.hpp"
#include "config/reading/read_context.hpp"
#include "config/server_config.hpp"

namespace holdfast::config {

struct ReadServer {
    ServerConfig server = {};
    bool has_target = false;  ///< If not, the report says why.
};

/// Reads one entry of `mcpServers`. Fills its variables in first, except in keys of other programs.
[[nodiscard]] ReadServer read_server(const ReadContext& context, Member& entry,
                                     const std::string& section_path);

/// How the server is reached: the part of an entry that depends on its kind.
[[nodiscard]] std::optional<ServerTarget> read_target(ObjectReader& entry);

}  // namespace holdfast::config
