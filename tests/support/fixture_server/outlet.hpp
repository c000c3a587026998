#pragma once

#include <string_view>

namespace holdfast::fixture {

/// Where the messages about one request go: a channel that many requests share, or the answer of
/// one HTTP request. After `finish` or `abandon` everything is ignored.
///
/// Thread-safety: none; belongs to the loop.
class Outlet {
public:
    Outlet() = default;
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;
    virtual ~Outlet() = default;

    /// A notification or a request of ours, before the answer.
    virtual void send(std::string_view message) = 0;
    /// The answer; nothing follows.
    virtual void finish(std::string_view message, int http_status) = 0;
    /// There will be no answer, since the client has cancelled.
    virtual void abandon() = 0;
    /// Something that is not JSON. Over HTTP it takes the place of the answer.
    virtual void send_junk() = 0;
    /// Ends the stream before its answer, where the client can come back for the rest.
    virtual void interrupt() {}
};

inline constexpr std::string_view kJunk = "this is not JSON {";

}  // namespace holdfast::fixture
