#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp {

/// What a list of a server holds.
enum class ItemKind : std::uint8_t { tool, prompt, resource, resource_template };

/// An item of a list as clients accept it. A client that rejects one item rejects the whole list,
/// and with it the items of all other servers.
struct CheckedItem {
    /// The repaired definition; empty = every client accepts it as it was written.
    std::string repaired = {};
    /// What was wrong, one clause each, such as `"title" is not a string (removed)`.
    std::vector<std::string> faults = {};
    /// False if no repair helps: the item must not be listed, and the only fault says why.
    bool is_usable = true;
};

/// Checks a definition, which must be valid JSON, against what the official clients of all
/// revisions demand. Removes members of the wrong type, and repairs schemas only where no client
/// would read them otherwise. The identifying member (name, URI or template) is the caller's task.
[[nodiscard]] CheckedItem checked_item(ItemKind kind, std::string_view definition);

}  // namespace holdfast::mcp
