#pragma once

#include <string>
#include <string_view>

namespace holdfast::runtime {

/// What this binary was built from. All texts are plain ASCII without quotes or control characters.
struct BuildIdentity {
    std::string_view version;
    /// Short commit id, with "-dirty" behind it when tracked files had been changed; "unknown" when
    /// built outside a git checkout.
    std::string_view commit;
    std::string_view compiler;
};

[[nodiscard]] BuildIdentity build_identity();

/// One line for people: "holdfast 0.1.0 (commit 1a2b3c4d5e, clang 19.1.7)".
[[nodiscard]] std::string describe(const BuildIdentity& identity);

/// The same as one JSON object.
[[nodiscard]] std::string to_json(const BuildIdentity& identity);

/// What we tell peers that we are: an Implementation object of the protocol.
[[nodiscard]] std::string own_implementation();

}  // namespace holdfast::runtime
