#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::catalogue {

/// An item's name at its downstream, and the downstream's key.
struct OriginalName {
    std::string_view server;
    std::string_view name;
    bool has_prefix = false;  ///< Whether agents see it as `server__name`.
};

/// The keys of all configured servers. A name that begins with a key and `__` or `.` is in the
/// namespace of that server.
///
/// Thread-safety: immutable. Holds views of the keys.
class Namespaces final {
public:
    explicit Namespaces(const std::vector<std::string_view>& servers);

    /// Returns whether a name is in the namespace of another server than `own`. If several keys
    /// fit, the longest one counts.
    [[nodiscard]] bool is_foreign(std::string_view name, std::string_view own) const;

private:
    struct Prefix {
        std::string text;  // a key as agents see it, or as it is written
        std::string_view server;
    };
    std::vector<Prefix> prefixes_;
};

/// Whether an exposed name begins with the server's key: `key__name`.
enum class Prefixing : std::uint8_t {
    automatic,  ///< Only with several downstreams.
    always,
    never,
};

/// Model APIs accept at most this length, and only letters, digits, `_` and `-`.
inline constexpr std::size_t kMaxNameLength = 64;

/// Returns the name of each item that agents see, in the same order. The names are legal and
/// unique. Of items with the same name the first one keeps it. A name that had to be changed ends
/// in a hash of its original, so it does not depend on other items. The names survive a restart as
/// long as the config is unchanged. An item whose name is `reserved`, or in the namespace of
/// another server, gets a prefix.
[[nodiscard]] std::vector<std::string> exposed_names(std::span<const OriginalName> originals,
                                                     std::span<const std::string> reserved = {},
                                                     const Namespaces& namespaces = Namespaces{{}});

/// Returns whether names get a prefix. Counts the configured downstreams, not those that are up, so
/// that an outage does not rename tools.
[[nodiscard]] constexpr bool needs_prefix(Prefixing prefixing, std::size_t server_count) noexcept {
    return prefixing == Prefixing::always ||
           (prefixing == Prefixing::automatic && server_count > 1);
}

}  // namespace holdfast::catalogue
