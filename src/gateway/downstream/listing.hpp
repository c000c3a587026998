#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::downstream {

/// The four lists of a downstream.
enum class ListKind : std::uint8_t { tools, prompts, resources, templates };

/// The member of a result that holds the list, as MCP names it.
[[nodiscard]] constexpr std::string_view list_member(ListKind kind) noexcept {
    switch (kind) {
        case ListKind::tools:
            return "tools";
        case ListKind::prompts:
            return "prompts";
        case ListKind::resources:
            return "resources";
        case ListKind::templates:
            return "resourceTemplates";
    }
    return {};
}

/// One entry of a list: its `name`, `uri` or `uriTemplate`, and its definition as written.
struct ListedEntry {
    std::string key = {};
    std::string definition = {};
    /// The definition for agents, if they would reject the one of the server; usually empty.
    std::string repaired = {};
};

/// The entries of a list that were repaired or skipped.
struct EntryFaults {
    static constexpr std::size_t kMaxTexts = 20;

    std::size_t entries = 0;
    std::vector<std::string> texts = {};  ///< One for each of the first entries.

    void add(std::string text) {
        ++entries;
        if (texts.size() < kMaxTexts) {
            texts.push_back(std::move(text));
        }
    }
    [[nodiscard]] friend bool operator==(const EntryFaults&, const EntryFaults&) = default;
};

struct Listing {
    ListKind kind = ListKind::tools;
    std::vector<ListedEntry> entries = {};
    std::int64_t ttl_ms = 0;  ///< Zero if the downstream specified none.
    bool is_public = false;
    EntryFaults faults = {};
};

/// Returns what the list holds, for texts: `tool`, `prompt` and so on.
[[nodiscard]] std::string_view item_name(ListKind kind) noexcept;
/// Returns the same with the entry's key, such as `tool "x"`.
[[nodiscard]] std::string named_item(ListKind kind, std::string_view key);
/// Makes an entry of a definition, repaired where agents would reject it. Returns nothing if no
/// repair helps. Adds to `faults` what was wrong.
[[nodiscard]] std::optional<ListedEntry> checked_entry(ListKind kind, std::string key,
                                                       std::string_view definition,
                                                       EntryFaults& faults);

}  // namespace holdfast::downstream
