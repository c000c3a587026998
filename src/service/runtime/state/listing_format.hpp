#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "downstream/listing.hpp"
#include "mcp/revision.hpp"

// The stored data of a downstream, as text:
//
//     holdfast-listing 1 tools 60000 private       the kind, the ttl in milliseconds, the scope
//     ["echo",{"name":"echo","inputSchema":{}}]    each entry: its key, and its definition as
//     ["add",{"name":"add","inputSchema":{}}]      written, without line breaks
//     end 6b1d…                                    the SHA-256 of all lines above
//
//     holdfast-era 1 legacy 1790000000             time of observation, in Unix time
//     end 93ab…
//
// A text is accepted completely or not at all.

namespace holdfast::runtime {

/// Requires definitions that are JSON objects.
[[nodiscard]] std::string serialize(const downstream::Listing& listing);
/// Returns nothing unless the text is a complete listing of this kind and format version.
[[nodiscard]] std::optional<downstream::Listing> parse_listing(std::string_view text,
                                                               downstream::ListKind kind);

/// An era and when it was observed.
struct RememberedEra {
    mcp::Era era = mcp::Era::legacy;
    std::chrono::sys_seconds learned_at = {};
};

[[nodiscard]] std::string serialize(const RememberedEra& era);
/// Returns nothing unless the text is complete and of this format version.
[[nodiscard]] std::optional<RememberedEra> parse_era(std::string_view text);

/// Returns `tools`, `prompts`, `resources` or `templates`.
[[nodiscard]] std::string_view name_of(downstream::ListKind kind) noexcept;

}  // namespace holdfast::runtime
