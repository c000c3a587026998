#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::mcp {

/// The revisions of the protocol, oldest first.
enum class Revision : std::uint8_t {
    v2024_10_07,  ///< Before the first release; old peers still use it.
    v2024_11_05,
    v2025_03_26,
    v2025_06_18,
    v2025_11_25,
    v2026_07_28,
};

enum class Era : std::uint8_t {
    legacy,  ///< A session opened by `initialize`.
    modern,  ///< Every request is independent and carries its envelope.
};

inline constexpr Revision kNewestLegacy = Revision::v2025_11_25;
inline constexpr Revision kNewestModern = Revision::v2026_07_28;

/// The supported modern revisions, as offered in `server/discover`.
inline constexpr std::array<Revision, 1> kModernRevisions{Revision::v2026_07_28};

/// The text on the wire: `2025-11-25`.
[[nodiscard]] std::string_view text_of(Revision revision) noexcept;
[[nodiscard]] std::optional<Revision> revision_from_text(std::string_view text) noexcept;

[[nodiscard]] constexpr Era era_of(Revision revision) noexcept {
    return revision <= kNewestLegacy ? Era::legacy : Era::modern;
}

/// Returns the answer to an `initialize` that requests this version: the same version if supported,
/// otherwise the newest legacy one. A handshake never selects the modern era.
[[nodiscard]] Revision negotiated(std::string_view requested) noexcept;

/// Only one revision allowed a top-level array of messages.
[[nodiscard]] constexpr bool allows_batches(Revision revision) noexcept {
    return revision == Revision::v2025_03_26;
}
/// Whether the client sends the revision in a header of every request after the handshake.
[[nodiscard]] constexpr bool has_version_header(Revision revision) noexcept {
    return revision >= Revision::v2025_06_18;
}
/// Whether a stream begins with an event that has an id and no data; older clients fail on it.
[[nodiscard]] constexpr bool has_priming_events(Revision revision) noexcept {
    return revision == Revision::v2025_11_25;
}
[[nodiscard]] constexpr bool has_url_elicitation(Revision revision) noexcept {
    return revision >= Revision::v2025_11_25;
}

}  // namespace holdfast::mcp
