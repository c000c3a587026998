#include "runtime/state/listing_format.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <utility>
#include <vector>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"
#include "platform/crypto.hpp"

namespace holdfast::runtime {
namespace {

using downstream::ListedEntry;
using downstream::Listing;
using downstream::ListKind;

constexpr std::string_view kListingHead = "holdfast-listing 1 ";
constexpr std::string_view kEraHead = "holdfast-era 1 ";
constexpr std::string_view kEnd = "end ";
constexpr std::size_t kDigestBytes = 64;
// Until 2255: in range for the nanoseconds of the system clock.
constexpr std::int64_t kMaxUnixSeconds = 9'000'000'000;

std::string sealed(std::string text) {
    const std::string digest = platform::sha256_text(text);
    text.append(kEnd).append(digest).append("\n");
    return text;
}

/// Returns the lines above the last one, if that is their digest.
std::optional<std::string_view> unsealed(std::string_view text) {
    constexpr std::size_t kSealBytes = kEnd.size() + kDigestBytes + 1;
    if (text.size() < kSealBytes) {
        return std::nullopt;
    }
    const std::string_view lines = text.substr(0, text.size() - kSealBytes);
    std::string_view seal = text.substr(lines.size());
    if (!lines.ends_with('\n') || !seal.starts_with(kEnd) || !seal.ends_with('\n')) {
        return std::nullopt;
    }
    seal.remove_prefix(kEnd.size());
    seal.remove_suffix(1);
    return seal == platform::sha256_text(lines) ? std::optional{lines} : std::nullopt;
}

/// Removes and returns the part up to the mark; the whole text if there is no mark.
std::string_view take_until(std::string_view& text, char mark) {
    const std::size_t size_bytes = std::min(text.find(mark), text.size());
    const std::string_view part = text.substr(0, size_bytes);
    text.remove_prefix(std::min(size_bytes + 1, text.size()));
    return part;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const auto [read_to, error] = std::from_chars(begin, end, number);
    const bool is_number = error == std::errc{} && read_to == end && number >= 0;
    return is_number ? std::optional{number} : std::nullopt;
}

/// Reads the first line of a listing without its prefix; returns false if the kind differs.
bool read_head(std::string_view line, Listing& listing) {
    const bool is_kind = take_until(line, ' ') == runtime::name_of(listing.kind);
    const auto ttl_ms = whole_number(take_until(line, ' '));
    if (!is_kind || !ttl_ms || (line != "public" && line != "private")) {
        return false;
    }
    listing.ttl_ms = *ttl_ms;
    listing.is_public = line == "public";
    return true;
}

/// The digest proves that the bytes are unchanged. Whatever wrote them, only valid JSON may reach
/// the messages that are built from an entry.
std::optional<ListedEntry> read_entry(std::string_view line, jsonrpc::MessageReader& reader) {
    const jsonrpc::PaddedText text{std::string{line}};
    const auto parts = reader.split_batch(text);
    if (!parts || parts->size() != 2) {
        return std::nullopt;
    }
    const std::string_view key = parts->front();
    const std::string_view definition = parts->back();
    if (!key.starts_with('"') || !definition.starts_with('{')) {
        return std::nullopt;
    }
    return ListedEntry{.key = jsonrpc::decoded(key), .definition = std::string{definition}};
}

}  // namespace

std::string_view name_of(ListKind kind) noexcept {
    // Part of the format of stored files, where this list has a shorter name than in MCP.
    return kind == ListKind::templates ? "templates" : downstream::list_member(kind);
}

std::string serialize(const Listing& listing) {
    std::string text{kListingHead};
    text.append(name_of(listing.kind)).append(" ");
    text.append(std::to_string(std::max<std::int64_t>(listing.ttl_ms, 0)));
    text.append(listing.is_public ? " public\n" : " private\n");
    for (const ListedEntry& entry : listing.entries) {
        text.append("[");
        jsonrpc::append_quoted(text, entry.key);
        text.append(",");
        const auto begin = static_cast<std::ptrdiff_t>(text.size());
        text.append(entry.definition).append("]\n");
        // JSON strings contain no bare line breaks, so these are between its tokens.
        std::replace_if(
            text.begin() + begin, text.end() - 1, [](char c) { return c == '\n' || c == '\r'; },
            ' ');
    }
    return sealed(std::move(text));
}

std::optional<Listing> parse_listing(std::string_view text, ListKind kind) {
    auto lines = text.starts_with(kListingHead) ? unsealed(text) : std::nullopt;
    if (!lines) {
        return std::nullopt;
    }
    lines->remove_prefix(kListingHead.size());
    Listing listing{.kind = kind};
    if (!read_head(take_until(*lines, '\n'), listing)) {
        return std::nullopt;
    }
    jsonrpc::MessageReader reader{{.max_batch = 2}};
    std::unordered_set<std::string> keys;
    downstream::EntryFaults unreported;
    while (!lines->empty()) {
        auto entry = read_entry(take_until(*lines, '\n'), reader);
        if (!entry || !keys.insert(entry->key).second) {
            return std::nullopt;
        }
        // Faults are reported when the server lists its items again.
        if (auto checked = downstream::checked_entry(kind, std::move(entry->key), entry->definition,
                                                     unreported)) {
            listing.entries.push_back(std::move(*checked));
        }
    }
    return listing;
}

std::string serialize(const RememberedEra& era) {
    std::string text{kEraHead};
    text.append(era.era == mcp::Era::modern ? "modern " : "legacy ");
    text.append(std::to_string(era.learned_at.time_since_epoch().count())).append("\n");
    return sealed(std::move(text));
}

std::optional<RememberedEra> parse_era(std::string_view text) {
    auto lines = text.starts_with(kEraHead) ? unsealed(text) : std::nullopt;
    if (!lines) {
        return std::nullopt;
    }
    lines->remove_prefix(kEraHead.size());
    const std::string_view era = take_until(*lines, ' ');
    const auto seconds = whole_number(take_until(*lines, '\n'));
    const bool is_era = era == "legacy" || era == "modern";
    if (!is_era || !seconds || *seconds > kMaxUnixSeconds || !lines->empty()) {
        return std::nullopt;
    }
    return RememberedEra{.era = era == "modern" ? mcp::Era::modern : mcp::Era::legacy,
                         .learned_at = std::chrono::sys_seconds{std::chrono::seconds{*seconds}}};
}

}  // namespace holdfast::runtime
