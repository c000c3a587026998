#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "downstream/listing.hpp"
#include "mcp/revision.hpp"

// What is remembered of a downstream between runs, as text:
//
//     holdfast-listing 1 tools 60000 private       the kind, the ttl in milliseconds, the scope
//     ["echo",{"name":"echo","inputSchema":{}}]    each entry: its key, and its definition as it
//     ["add",{"name":"add","inputSchema":{}}]      was written but for line breaks
//     end 6b1d…                                    the SHA-256 of all lines above
//
//     holdfast-era 1 legacy 1790000000             when that was learned, in Unix time
//     end 93ab…
//
// A text is taken whole or not at all: one byte off, and nothing is known.

namespace holdfast::runtime {

/// Requires definitions that are JSON objects.
[[nodiscard]] std::string serialize(const downstream::Listing& listing);
/// Nothing unless the text is a whole listing of that kind and of this version of the format.
[[nodiscard]] std::optional<downstream::Listing> parse_listing(std::string_view text,
                                                               downstream::ListKind kind);

/// An era and when it was learned.
struct RememberedEra {
    mcp::Era era = mcp::Era::legacy;
    std::chrono::sys_seconds learned_at = {};
};

[[nodiscard]] std::string serialize(const RememberedEra& era);
/// Nothing unless the text is whole and of this version of the format.
[[nodiscard]] std::optional<RememberedEra> parse_era(std::string_view text);

/// `tools`, `prompts`, `resources` or `templates`.
[[nodiscard]] std::string_view name_of(downstream::ListKind kind) noexcept;

}  // namespace holdfast::runtime
