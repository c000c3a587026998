#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace holdfast::base {

/// The user of the gateway, as a principal.
inline constexpr const char* kOwnUser = "local";
/// A user who need not be identified and cannot be.
inline constexpr const char* kUnknownUser = "anonymous";

/// Decides which users of this machine may connect without a token. Root may read the gateway's
/// memory anyway, so it counts as the gateway's own user.
///
/// Users are numbers, as the system has them.
///
/// Thread-safety: that of a plain value.
struct LocalAccess {
    enum class Rule : std::uint8_t {
        listed,  ///< The own user, and those in `others`.
        any,
        none,
    };

    Rule rule = Rule::listed;
    std::uint32_t own = 0;
    std::map<std::uint32_t, std::string> others = {};  ///< Admitted users and their names.

    /// The principal of a user who may connect: `local`, `local/NAME`, or `anonymous`. No user
    /// means that the system does not know who it is.
    [[nodiscard]] std::optional<std::string> principal_of(std::optional<std::uint32_t> user) const;

    friend bool operator==(const LocalAccess&, const LocalAccess&) = default;
};

}  // namespace holdfast::base
