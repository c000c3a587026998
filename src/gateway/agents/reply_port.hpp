#pragma once

#include <functional>
#include <string>

#include "net/http_exchange.hpp"

namespace holdfast::agents {

using net::Importance;

/// The path back to the agent for one request: an HTTP exchange, or one request on a channel.
/// Exactly one of `finish` and `abandon` is called.
///
/// Thread-safety: from any loop; messages keep the order in which one loop sends them.
class ReplyPort {
public:
    ReplyPort() = default;
    ReplyPort(const ReplyPort&) = delete;
    ReplyPort& operator=(const ReplyPort&) = delete;
    virtual ~ReplyPort() = default;

    /// Sends a notification or a question that belongs to the request, before its answer.
    virtual void send(std::string message, Importance importance) = 0;
    /// Sends the answer. `http_status` differs from 200 only for protocol errors.
    virtual void finish(std::string message, int http_status) = 0;
    /// Ends the request without an answer, because the agent no longer wants one.
    virtual void abandon() = 0;

    /// Whether questions can reach the agent on this path.
    [[nodiscard]] virtual bool can_ask() const = 0;
    /// Calls the listener once, on any loop, if the agent disconnects before the answer and this
    /// cancels the request.
    virtual void on_gone(std::function<void()> listener) = 0;

    void finish(std::string message) { finish(std::move(message), 200); }
};

}  // namespace holdfast::agents
