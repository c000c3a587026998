#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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
};

struct Listing {
    ListKind kind = ListKind::tools;
    std::vector<ListedEntry> entries = {};
    std::int64_t ttl_ms = 0;  ///< Zero if the downstream specified none.
    bool is_public = false;
};

}  // namespace holdfast::downstream
