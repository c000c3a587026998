#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

struct ToolParameter {
    std::string name = {};
    std::string description = {};

    friend bool operator==(const ToolParameter&, const ToolParameter&) = default;
};

/// The searchable parts of a tool.
struct ToolDocument {
    std::string id = {};      ///< The name that agents use; unique in an index.
    std::string name = {};    ///< The name at its server.
    std::string server = {};  ///< May be empty.
    std::string description = {};
    std::vector<ToolParameter> parameters = {};

    friend bool operator==(const ToolDocument&, const ToolDocument&) = default;
};

/// Returns the text to embed for a tool: its server, its name as words and its description, at most
/// `max_bytes` in whole characters.
[[nodiscard]] std::string embedding_text(const ToolDocument& tool, std::size_t max_bytes = 4'096);

/// Returns the text to embed for a name: `getUser_byId` becomes `get User by Id`.
[[nodiscard]] std::string words_of_identifier(std::string_view identifier);

}  // namespace holdfast::search
