#pragma once

#include <string_view>

namespace holdfast::fixture {

/// Receives the messages about one request: a channel that many requests share, or the answer of
/// one HTTP request. After `finish` or `abandon` everything is ignored.
///
/// Thread-safety: none; belongs to the loop.
class Outlet {
public:
    Outlet() = default;
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;
    virtual ~Outlet() = default;

    /// Sends a notification or a request of the server, before the answer.
    virtual void send(std::string_view message) = 0;
    /// Sends the answer; nothing follows.
    virtual void finish(std::string_view message, int http_status) = 0;
    /// There will be no answer, because the client has cancelled.
    virtual void abandon() = 0;
    /// Sends text that is not JSON. Over HTTP it replaces the answer.
    virtual void send_junk() = 0;
    /// Ends the stream before its answer, if the client can resume it.
    virtual void interrupt() {}
};

inline constexpr std::string_view kJunk = "this is not JSON {";

}  // namespace holdfast::fixture
