#pragma once

#include <string>
#include <string_view>

namespace holdfast::runtime {

/// The build of this binary. All texts are plain ASCII without quotes or control characters.
struct BuildIdentity {
    std::string_view version;
    /// Short commit id, with "-dirty" appended if tracked files were changed; "unknown" outside of
    /// a git checkout.
    std::string_view commit;
    std::string_view compiler;
};

[[nodiscard]] BuildIdentity build_identity();

/// Returns one line for people: "holdfast 0.1.0 (commit 1a2b3c4d5e, clang 19.1.7)".
[[nodiscard]] std::string describe(const BuildIdentity& identity);

/// Returns the same as one JSON object.
[[nodiscard]] std::string to_json(const BuildIdentity& identity);

/// Returns the gateway's own Implementation object for peers.
[[nodiscard]] std::string own_implementation();

}  // namespace holdfast::runtime
