#pragma once

#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"

namespace holdfast::net {

enum class NetErrc {
    invalid_request,   ///< What was asked for can never work; the message names the part.
    too_large,         ///< A request or message is over its limit; nothing of it was sent.
    overloaded,        ///< A bounded queue or table is full; the same request may work later.
    not_found,         ///< The program or its directory does not exist.
    not_permitted,     ///< The program or its directory may not be used by this user.
    start_failed,      ///< The program could not be started for another reason of the system.
    closed,            ///< The other side has ended, or this side has been closed.
    timed_out,         ///< The deadline came first.
    cancelled,         ///< The waiting coroutine is to end.
    message_too_long,  ///< A message of the peer was over the limit and dropped; the next is read.
    bad_answer,        ///< What the peer sent breaks the protocol; the message says how.
    system_failure,    ///< A call of the system failed that should not; see `system_code`.
};

/// What went wrong with a peer, a process or a descriptor, in words that may be shown to a user.
struct NetError {
    NetErrc code;
    std::string message;
    int system_code = 0;  ///< The `errno` behind it; 0 if there is none.
};

template <class T>
using NetResult = resilience::Result<T, NetError>;

/// Whether the same request may succeed later without anybody changing anything.
[[nodiscard]] bool is_retryable(NetErrc code) noexcept;

/// `what` and the words of the system for `system_code`, as an error of that code.
[[nodiscard]] NetError system_error(NetErrc code, std::string_view what, int system_code);

}  // namespace holdfast::net
