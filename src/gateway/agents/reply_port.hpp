#pragma once

#include <functional>
#include <string>

#include "net/http_exchange.hpp"

namespace holdfast::agents {

using net::Importance;

/// The way back to the agent for one request: an HTTP exchange, or a place on a channel. It is told
/// exactly one of `finish` and `abandon`.
///
/// Thread-safety: from any loop; what it sends keeps the order of the calls of one loop.
class ReplyPort {
public:
    ReplyPort() = default;
    ReplyPort(const ReplyPort&) = delete;
    ReplyPort& operator=(const ReplyPort&) = delete;
    virtual ~ReplyPort() = default;

    /// A notification or a question that belongs to the request, ahead of its answer.
    virtual void send(std::string message, Importance importance) = 0;
    /// The answer. `http_status` differs from 200 only for faults of the protocol's edge.
    virtual void finish(std::string message, int http_status) = 0;
    /// No answer: the agent does not want one any more.
    virtual void abandon() = 0;

    /// Whether questions can reach the agent by this way.
    [[nodiscard]] virtual bool can_ask() const = 0;
    /// Told once, on whatever loop, when the agent has gone before the answer and its going away
    /// means that it wants none.
    virtual void on_gone(std::function<void()> listener) = 0;

    void finish(std::string message) { finish(std::move(message), 200); }
};

}  // namespace holdfast::agents
