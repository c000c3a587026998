#pragma once

#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"

namespace holdfast::net {

enum class NetErrc {
    invalid_request,  ///< The request can never work; the message names the invalid part.
    too_large,        ///< A request or message exceeds its limit; nothing of it was sent.
    overloaded,       ///< A bounded queue or table is full; the same request may work later.
    not_found,        ///< The program or its directory does not exist.
    not_permitted,    ///< This user may not use the program or its directory.
    start_failed,     ///< The program could not be started for another reason.
    closed,           ///< The peer has ended, or this side has been closed.
    timed_out,        ///< The deadline passed first.
    cancelled,        ///< The waiting coroutine was cancelled.
    /// A message of the peer exceeded the limit and was dropped; the next is read.
    message_too_long,
    bad_answer,      ///< The peer violated the protocol; the message says how.
    system_failure,  ///< A system call failed unexpectedly; see `system_code`.
};

/// What went wrong with a peer, a process or a descriptor, with a message that may be shown to a
/// user.
struct NetError {
    NetErrc code;
    std::string message;
    int system_code = 0;  ///< The `errno`; 0 if there is none.
};

template <class T>
using NetResult = resilience::Result<T, NetError>;

/// Returns whether the same request may succeed later without any change.
[[nodiscard]] bool is_retryable(NetErrc code) noexcept;

/// Makes an error of `what` and the system's text for `system_code`.
[[nodiscard]] NetError system_error(NetErrc code, std::string_view what, int system_code);

}  // namespace holdfast::net
