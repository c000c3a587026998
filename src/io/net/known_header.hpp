#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/letter_case.hpp"

namespace holdfast::net {

/// The headers that are looked up for most messages. `HttpHeaders` has a slot for each of them.
enum class KnownHeader : std::uint8_t {
    accept,
    authorization,
    connection,
    content_length,
    content_type,
    expect,
    host,
    last_event_id,
    mcp_method,
    mcp_name,
    mcp_protocol_version,
    mcp_session_id,
    origin,
    retry_after,
    transfer_encoding,
    upgrade,
    none,  ///< Any other header.
};

inline constexpr auto kKnownHeaderCount = static_cast<std::size_t>(KnownHeader::none);

/// In the order of the enumerators, in lower case.
inline constexpr std::array<std::string_view, kKnownHeaderCount> kKnownHeaderNames{
    "accept",         "authorization",        "connection",
    "content-length", "content-type",         "expect",
    "host",           "last-event-id",        "mcp-method",
    "mcp-name",       "mcp-protocol-version", "mcp-session-id",
    "origin",         "retry-after",          "transfer-encoding",
    "upgrade",
};

/// Which header a name means, in any case.
[[nodiscard]] KnownHeader known_header(std::string_view name) noexcept;

/// A name to look up. A literal is recognised by the compiler, so that looking it up takes no
/// comparison: `headers.find("Content-Type")`.
class HeaderName final {
public:
    template <std::size_t Size>
    consteval HeaderName(const char (&literal)[Size]) : text_(literal, Size - 1) {
        for (std::size_t index = 0; index < kKnownHeaderCount; ++index) {
            if (base::equals_ignoring_case(text_, kKnownHeaderNames[index])) {
                known_ = static_cast<KnownHeader>(index);
            }
        }
    }
    template <class Text>
        requires(!std::is_array_v<Text> && std::convertible_to<const Text&, std::string_view>)
    HeaderName(const Text& text) noexcept : text_(text), known_(known_header(text_)) {}

    [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }
    [[nodiscard]] constexpr KnownHeader known() const noexcept { return known_; }

private:
    std::string_view text_;
    KnownHeader known_ = KnownHeader::none;
};

}  // namespace holdfast::net
