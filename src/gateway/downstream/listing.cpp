#include "downstream/listing.hpp"

#include "base/printable.hpp"
#include "mcp/listed_item.hpp"

namespace holdfast::downstream {
namespace {

constexpr std::size_t kMaxNameBytes = 100;
constexpr std::size_t kMaxFaultBytes = 300;

mcp::ItemKind item_kind(ListKind kind) noexcept {
    switch (kind) {
        case ListKind::tools:
            return mcp::ItemKind::tool;
        case ListKind::prompts:
            return mcp::ItemKind::prompt;
        case ListKind::resources:
            return mcp::ItemKind::resource;
        case ListKind::templates:
            return mcp::ItemKind::resource_template;
    }
    return mcp::ItemKind::tool;
}

}  // namespace

std::string_view item_name(ListKind kind) noexcept {
    switch (kind) {
        case ListKind::tools:
            return "tool";
        case ListKind::prompts:
            return "prompt";
        case ListKind::resources:
            return "resource";
        case ListKind::templates:
            return "resource template";
    }
    return {};
}

std::string named_item(ListKind kind, std::string_view key) {
    return std::string{item_name(kind)} + " \"" + base::shown_line(key, kMaxNameBytes) + "\"";
}

std::optional<ListedEntry> checked_entry(ListKind kind, std::string key,
                                         std::string_view definition, EntryFaults& faults) {
    mcp::CheckedItem item = mcp::checked_item(item_kind(kind), definition);
    if (!item.faults.empty()) {
        std::string text = named_item(kind, key) + (item.is_usable ? ": " : " is not listed: ");
        for (const std::string& fault : item.faults) {
            text += (&fault == &item.faults.front() ? "" : ", ") + fault;
        }
        faults.add(base::shown_line(text, kMaxFaultBytes));
    }
    if (!item.is_usable) {
        return std::nullopt;
    }
    return ListedEntry{.key = std::move(key),
                       .definition = std::string{definition},
                       .repaired = std::move(item.repaired)};
}

}  // namespace holdfast::downstream
