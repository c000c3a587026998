#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "agents/outlet.hpp"
#include "agents/replay_log.hpp"
#include "agents/reply_port.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/http_exchange.hpp"

namespace holdfast::front {

struct HttpPortOptions {
    bool accepts_stream = true;
    /// Whether a disconnect of the agent cancels the request.
    bool ends_with_connection = false;
    /// Stores the events for an agent whose connection breaks; null = not stored.
    std::shared_ptr<agents::ReplayLog> log = {};
    /// Whether a stream begins with an event that only has an id, so that it can be resumed from
    /// the start. The event is sent after `prime_after` without an answer.
    bool is_primed = false;
    resilience::Duration prime_after = std::chrono::milliseconds{250};
    /// A stream that is silent for this long gets a comment, so that no proxy closes it.
    resilience::Duration keep_alive = std::chrono::seconds{15};
};

/// Answers an HTTP exchange with one JSON text or, once a message must precede the answer, with an
/// event stream.
///
/// Thread-safety: from any loop.
class HttpPort final : public agents::ReplyPort {
public:
    HttpPort(std::shared_ptr<net::HttpExchange> exchange, const HttpPortOptions& options);
    ~HttpPort() override;

    void send(std::string message, net::Importance importance) override;
    void finish(std::string message, int http_status) override;
    void abandon() override;
    [[nodiscard]] bool can_ask() const override;
    void on_gone(std::function<void()> listener) override;

private:
    class Inside;

    const HttpPortOptions options_;
    const net::OwningLoop loop_;
    // Shared with work posted to the exchange's loop.
    const std::shared_ptr<Inside> inside_;
};

/// A stream that an agent opened for messages that belong to no request.
///
/// Thread-safety: from any loop.
class HttpStreamOutlet final : public agents::Outlet {
public:
    /// Starts the stream. Must be called on the exchange's loop.
    HttpStreamOutlet(const std::shared_ptr<net::HttpExchange>& exchange,
                     const HttpPortOptions& options);

    void send(std::string message, net::Importance importance) override;
    void end() override;

private:
    HttpPort port_;
};

/// Sends the events that an agent missed when its connection broke, and those that follow. Must be
/// called on the exchange's loop. Returns false and sends nothing if the event id is unknown. An
/// exchange that resumed the stream earlier ends without another event.
[[nodiscard]] bool resume_stream(const std::shared_ptr<net::HttpExchange>& exchange,
                                 agents::ReplayLog& log, std::string_view last_event_id);

}  // namespace holdfast::front
