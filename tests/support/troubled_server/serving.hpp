#pragma once

#include <string>
#include <string_view>

#include "support/troubled_server/script.hpp"

namespace holdfast::troubled {

/// The path back to the sender of a request, with all possible failures.
///
/// Thread-safety: all from any thread.
class ReplyPath {
public:
    ReplyPath() = default;
    ReplyPath(const ReplyPath&) = delete;
    ReplyPath& operator=(const ReplyPath&) = delete;
    virtual ~ReplyPath() = default;

    virtual void send(std::string_view message) = 0;
    virtual void send_junk() = 0;
    /// Sends the first half, and nothing after it.
    virtual void send_half(std::string_view message) = 0;
    /// Sends byte by byte.
    virtual void trickle(std::string_view message) = 0;
    /// Only HTTP has a status; `retry_after` is empty for none.
    virtual void send_status(int status, std::string_view retry_after, std::string_view text) = 0;
    virtual void close() = 0;
};

/// Answers a message, or handles a call as scripted. Blocks as long as that takes.
void serve_message(Script& script, std::string_view message, ReplyPath& way);

/// Serves the standard streams until they end.
void serve_streams(Script& script);
/// Serves Streamable HTTP on a free loopback port, without end.
[[noreturn]] void serve_http(Script& script);

}  // namespace holdfast::troubled
