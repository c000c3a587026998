#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "holdfast/resilience/result.hpp"

// Configs as text: written, and added to without disturbing what is there.

namespace holdfast::cli {

/// A value as JSON in one line.
[[nodiscard]] std::string value_text(const config::Node& value);

/// An object as JSON, a line for each member, indented by `indent` spaces more than its braces.
/// With zero all of it is one line.
[[nodiscard]] std::string object_text(const std::vector<config::Member>& members,
                                      std::size_t indent);

/// Why a text cannot be added to, as a sentence.
struct ConfigTextFault {
    std::string message = {};
};

/// A config with further servers at the beginning of its `mcpServers` (or `servers`), or of the
/// file if it has no servers yet. All else stays as it is written, comments too. Requires a text
/// that can be read; `file` is for messages.
[[nodiscard]] resilience::Result<std::string, ConfigTextFault> with_servers(
    std::string_view file, std::string text, const std::vector<config::Member>& servers);

}  // namespace holdfast::cli
