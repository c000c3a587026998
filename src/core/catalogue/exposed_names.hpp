#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::catalogue {

/// What a downstream calls an item, and which downstream that is.
struct OriginalName {
    std::string_view server;
    std::string_view name;
    bool has_prefix = false;  ///< Whether agents see it as `server__name`.
};

/// When the server's key comes before the name of an item: `key__name`.
enum class Prefixing : std::uint8_t {
    automatic,  ///< With several downstreams, not with a single one.
    always,
    never,
};

/// Model APIs accept no longer names, and no other characters than letters, digits, `_` and `-`.
inline constexpr std::size_t kMaxNameLength = 64;

/// The name under which each item is shown to agents, in the same order. Legal and never twice the
/// same; a name that had to be changed ends in a hash of what it stands for, so it does not depend
/// on the other items. Of items that would get the same name the first keeps it. The names are the
/// same after a restart as long as the config is. Names that are `reserved` are not given: an item
/// that would get one is shown with its prefix.
[[nodiscard]] std::vector<std::string> exposed_names(std::span<const OriginalName> originals,
                                                     std::span<const std::string> reserved = {});

/// Whether names get a prefix. Counts the downstreams that are configured, not those that are up,
/// so that an outage renames nothing.
[[nodiscard]] constexpr bool needs_prefix(Prefixing prefixing, std::size_t server_count) noexcept {
    return prefixing == Prefixing::always ||
           (prefixing == Prefixing::automatic && server_count > 1);
}

}  // namespace holdfast::catalogue
