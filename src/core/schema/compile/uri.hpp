#pragma once

#include <string>
#include <string_view>

namespace holdfast::schema {

/// Resolves a reference against a base as RFC 3986 section 5.2 says. Both may be any text; a base
/// without a scheme is taken as it is, which lets schemas without an absolute `$id` refer to each
/// other by relative names.
[[nodiscard]] std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
    std::string_view document;  ///< All before the first '#'.
    std::string_view fragment;  ///< All after it; empty when there is none.
};

[[nodiscard]] SplitUri split_fragment(std::string_view uri);

/// Replaces %XX by its byte; anything else stays as it is.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace holdfast::schema
