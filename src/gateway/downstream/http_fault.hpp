#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "downstream/answer.hpp"
#include "net/http_client.hpp"

// What HTTP can do to a call, as the fault that an agent may be shown.

namespace holdfast::downstream {

/// The exchange broke before there was an answer.
[[nodiscard]] CallFault fault_of(const net::HttpClientError& error);

/// The body of an answer could not be read, so the request has been sent.
[[nodiscard]] CallFault fault_of_body(const net::NetError& error);

/// An answer of that status whose body is no JSON-RPC message.
[[nodiscard]] CallFault fault_of_status(int status, const net::HttpHeaders& headers,
                                        std::string_view body);

/// The reply ended before the answer was in it.
[[nodiscard]] CallFault broken_off_fault();

/// What came back is not what the protocol says. It was sent, and something may have happened.
[[nodiscard]] CallFault malformed_fault(std::string message);

/// The wait that a `Retry-After` asks for, in seconds or until a date. A date counts from the
/// answer's own `Date`, so that the two clocks need not agree; without one it says nothing.
[[nodiscard]] std::optional<resilience::Duration> retry_after_of(const net::HttpHeaders& headers);

inline constexpr std::size_t kMaxExcerptBytes = 200;

/// The beginning of a text of a stranger on one line, fit to be part of a sentence.
[[nodiscard]] std::string cleaned_excerpt(std::string_view text,
                                          std::size_t max_bytes = kMaxExcerptBytes);

}  // namespace holdfast::downstream
