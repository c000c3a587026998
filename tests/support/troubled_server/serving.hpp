#pragma once

#include <string>
#include <string_view>

#include "support/troubled_server/script.hpp"

namespace holdfast::troubled {

/// The way back to who sent a request, with all that can go wrong on it.
///
/// Thread-safety: all from any thread.
class WayBack {
public:
    WayBack() = default;
    WayBack(const WayBack&) = delete;
    WayBack& operator=(const WayBack&) = delete;
    virtual ~WayBack() = default;

    virtual void send(std::string_view message) = 0;
    virtual void send_junk() = 0;
    /// The first half, and nothing after it.
    virtual void send_half(std::string_view message) = 0;
    /// Byte after byte.
    virtual void trickle(std::string_view message) = 0;
    /// Only HTTP has one; `retry_after` is empty for none.
    virtual void send_status(int status, std::string_view retry_after, std::string_view text) = 0;
    virtual void close() = 0;
};

/// Answers a message, or does with a call what the script says. Blocks as long as that takes.
void serve_message(Script& script, std::string_view message, WayBack& way);

/// Over the standard streams, until they end.
void serve_streams(Script& script);
/// Over Streamable HTTP on a free loopback port, for ever.
[[noreturn]] void serve_http(Script& script);

}  // namespace holdfast::troubled
