#include "mcp/revision.hpp"

#include <cstddef>

namespace holdfast::mcp {
namespace {

constexpr std::array<std::string_view, 6> kTexts{
    "2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28",
};

}  // namespace

std::string_view text_of(Revision revision) noexcept {
    return kTexts[static_cast<std::size_t>(revision)];
}

std::optional<Revision> revision_from_text(std::string_view text) noexcept {
    for (std::size_t index = 0; index < kTexts.size(); ++index) {
        if (kTexts[index] == text) {
            return static_cast<Revision>(index);
        }
    }
    return std::nullopt;
}

Revision negotiated(std::string_view requested) noexcept {
    const auto revision = revision_from_text(requested);
    return revision && era_of(*revision) == Era::legacy ? *revision : kNewestLegacy;
}

}  // namespace holdfast::mcp
