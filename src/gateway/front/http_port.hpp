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
    /// Whether the agent's going away means that it does not want the answer.
    bool ends_with_connection = false;
    /// What is sent is kept here as well, for an agent whose connection breaks; null = it is not.
    std::shared_ptr<agents::ReplayLog> log = {};
    /// Whether a stream opens with an event that only names its id, so that it can be resumed from
    /// the start; and after how long without an answer that is done.
    bool is_primed = false;
    resilience::Duration prime_after = std::chrono::milliseconds{250};
    /// A stream without events for this long gets a comment, so that nothing on the way cuts it.
    resilience::Duration keep_alive = std::chrono::seconds{15};
};

/// Answers an HTTP exchange: with one JSON text, or, as soon as something has to go ahead of the
/// answer, with an event stream.
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
    // Shared with work on its way to the loop of the exchange.
    const std::shared_ptr<Inside> inside_;
};

/// A stream that an agent has opened for messages that belong to no request.
///
/// Thread-safety: from any loop.
class HttpStreamOutlet final : public agents::Outlet {
public:
    /// Starts the stream. On the loop of the exchange.
    HttpStreamOutlet(const std::shared_ptr<net::HttpExchange>& exchange,
                     const HttpPortOptions& options);

    void send(std::string message, net::Importance importance) override;
    void end() override;

private:
    HttpPort port_;
};

/// Sends on what an agent missed of a stream whose connection broke, and what is still to come. On
/// the loop of the exchange. False, without an answer, if the event id is unknown. An exchange that
/// had resumed that stream before gets the end of its answer, without an event.
[[nodiscard]] bool resume_stream(const std::shared_ptr<net::HttpExchange>& exchange,
                                 agents::ReplayLog& log, std::string_view last_event_id);

}  // namespace holdfast::front
