#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::net {

/// A comment that every client ignores; it keeps proxies from closing an idle stream.
inline constexpr std::string_view kSseKeepAlive = ":\n\n";

/// An outgoing event. `type` and `id` must not contain line ends or NUL; they are ours, never a
/// peer's.
struct SseOutgoing {
    std::string_view data;
    std::string_view type = {};                           ///< Empty = not sent.
    std::string_view id = {};                             ///< Empty = not sent.
    std::optional<std::chrono::milliseconds> retry = {};  ///< Reconnection delay.
};

/// Appends the event. Every line of `data` becomes a `data` line; line ends of any kind arrive as
/// LF. Without data the event only sets an id and carries no message.
void append_sse_event(std::string& out, const SseOutgoing& event);

}  // namespace holdfast::net
