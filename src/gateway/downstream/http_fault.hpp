#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "downstream/answer.hpp"
#include "net/http_client.hpp"

// Converts HTTP failures into faults that agents may see.

namespace holdfast::downstream {

/// The exchange failed before the answer arrived.
[[nodiscard]] CallFault fault_of(const net::HttpClientError& error);

/// The body of an answer could not be read. The request has been sent.
[[nodiscard]] CallFault fault_of_body(const net::NetError& error);

/// An answer with this status whose body is not a JSON-RPC message.
[[nodiscard]] CallFault fault_of_status(int status, const net::HttpHeaders& headers,
                                        std::string_view body);

/// The reply ended before the answer.
[[nodiscard]] CallFault broken_off_fault();

/// The answer violates the protocol. The request was sent and may have taken effect.
[[nodiscard]] CallFault malformed_fault(std::string message);

/// Returns the delay that `Retry-After` asks for, in seconds or as a date. A date is relative to
/// the answer's own `Date`, so that the clocks need not agree; without `Date` it is ignored.
[[nodiscard]] std::optional<resilience::Duration> retry_after_of(const net::HttpHeaders& headers);

inline constexpr std::size_t kMaxExcerptBytes = 200;

/// Returns the start of an untrusted text on one line, for use in a sentence.
[[nodiscard]] std::string cleaned_excerpt(std::string_view text,
                                          std::size_t max_bytes = kMaxExcerptBytes);

}  // namespace holdfast::downstream
