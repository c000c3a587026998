#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/import/client_places.hpp"
#include "config/node.hpp"

namespace holdfast::cli {

/// Where an entry comes from.
struct EntrySource {
    Client client = Client::claude_code;
    std::string project = {};  ///< Its folder; empty = it is for all projects.
    std::string home = {};
};

/// An entry of a client's config in our words.
struct ImportedEntry {
    config::Node entry = {};
    std::vector<std::string> notes = {};  ///< What is different or missing, a sentence each.
    std::string refusal = {};             ///< Why it cannot be taken; empty = it can.
};

/// Takes over the keys that we know, and fills in or renames the variables that only the client
/// knows. No value of a secret is in the notes. `entry` is an object.
[[nodiscard]] ImportedEntry imported_entry(std::string_view name, const config::Node& entry,
                                           const EntrySource& source);

}  // namespace holdfast::cli
