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

/// A tool as far as it can be searched for.
struct ToolDocument {
    std::string id = {};      ///< The name that agents call it by; unique in an index.
    std::string name = {};    ///< The name that its server gave it.
    std::string server = {};  ///< May be empty.
    std::string description = {};
    std::vector<ToolParameter> parameters = {};

    friend bool operator==(const ToolDocument&, const ToolDocument&) = default;
};

/// What an embedder is given for a tool: its server, its name in words and its description, of
/// which at most `max_bytes` are taken, in whole characters.
[[nodiscard]] std::string embedding_text(const ToolDocument& tool, std::size_t max_bytes = 4'096);

/// What an embedder is given for a name: `getUser_byId` as `get User by Id`.
[[nodiscard]] std::string words_of_identifier(std::string_view identifier);

}  // namespace holdfast::search
