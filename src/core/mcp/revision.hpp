#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::mcp {

/// The revisions of the protocol, oldest first.
enum class Revision : std::uint8_t {
    v2024_10_07,  ///< Before the first release; old peers still name it.
    v2024_11_05,
    v2025_03_26,
    v2025_06_18,
    v2025_11_25,
    v2026_07_28,
};

enum class Era : std::uint8_t {
    legacy,  ///< A session opened by `initialize`.
    modern,  ///< Every request stands alone and carries its envelope.
};

inline constexpr Revision kNewestLegacy = Revision::v2025_11_25;
inline constexpr Revision kNewestModern = Revision::v2026_07_28;

/// The modern revisions that we speak, as offered in `server/discover`.
inline constexpr std::array<Revision, 1> kModernRevisions{Revision::v2026_07_28};

/// As written on the wire: `2025-11-25`.
[[nodiscard]] std::string_view text_of(Revision revision) noexcept;
[[nodiscard]] std::optional<Revision> revision_from_text(std::string_view text) noexcept;

[[nodiscard]] constexpr Era era_of(Revision revision) noexcept {
    return revision <= kNewestLegacy ? Era::legacy : Era::modern;
}

/// What to answer an `initialize` that asks for this version: the same if we speak it, otherwise
/// the newest legacy one. A handshake never leads to the modern era.
[[nodiscard]] Revision negotiated(std::string_view requested) noexcept;

/// A top-level array of messages was legal in one revision only.
[[nodiscard]] constexpr bool allows_batches(Revision revision) noexcept {
    return revision == Revision::v2025_03_26;
}
/// Whether the client names the revision in a header on every request after the handshake.
[[nodiscard]] constexpr bool has_version_header(Revision revision) noexcept {
    return revision >= Revision::v2025_06_18;
}
/// Whether a stream opens with an event that has an id and no data; older clients choke on it.
[[nodiscard]] constexpr bool has_priming_events(Revision revision) noexcept {
    return revision == Revision::v2025_11_25;
}
[[nodiscard]] constexpr bool has_elicitation(Revision revision) noexcept {
    return revision >= Revision::v2025_06_18;
}
[[nodiscard]] constexpr bool has_url_elicitation(Revision revision) noexcept {
    return revision >= Revision::v2025_11_25;
}
/// Whether arguments that do not fit the schema are told as a tool result, not as an error.
[[nodiscard]] constexpr bool tells_bad_arguments_as_result(Revision revision) noexcept {
    return revision >= Revision::v2025_11_25;
}

}  // namespace holdfast::mcp
