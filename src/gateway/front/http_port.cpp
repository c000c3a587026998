#include "front/http_port.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/run_on.hpp"
#include "net/sse_writer.hpp"

// Sends answers over HTTP. Ports may be used from any loop; all work is done on the exchange's loop
// (`HttpPort::Inside`) in the order of the calls. An answer is undecided at first and becomes
// either one text or a stream. A legacy session's stream is stored in its log, so that another
// exchange can resume it (`ResumedStream`).

namespace holdfast::front {
namespace {

constexpr std::chrono::milliseconds kReconnectAfter{1'000};

std::string event_of(std::string_view message, std::string_view id) {
    std::string event;
    net::append_sse_event(event, {.data = message, .id = id});
    return event;
}

std::string priming_event(std::string_view id) {
    std::string event;
    net::append_sse_event(event, {.data = {}, .id = id, .retry = kReconnectAfter});
    return event;
}

/// A stream that continues in another exchange. The events that the agent missed may include the
/// last one, so only this class knows whether the stream has begun.
///
/// Thread-safety: none; belongs to the loop of the exchange.
class ResumedStream final {
public:
    explicit ResumedStream(std::shared_ptr<net::HttpExchange> exchange)
        : exchange_(std::move(exchange)) {}

    void begin() {
        if (!std::exchange(has_begun_, true)) {
            exchange_->start_stream({});
        }
    }
    void send(const agents::ReplayLog::Event& event) {
        begin();
        if (!exchange_->is_streaming()) {
            return;  // Another exchange has resumed the stream and gets this event.
        }
        if (!event.id.empty()) {
            std::ignore =
                exchange_->send(event_of(event.message, event.id), net::Importance::must_arrive);
        }
        if (event.is_last) {
            exchange_->finish_stream();
        }
    }

private:
    const std::shared_ptr<net::HttpExchange> exchange_;
    bool has_begun_ = false;
};

/// Whether an answer may become a stream, and its number in the session's log. This is decided when
/// the answer first needs to be a stream, and then fixed: a question must be withdrawn on the path
/// on which it was sent.
///
/// Thread-safety: from any thread.
class StreamSlot final {
public:
    StreamSlot(bool accepts_stream, std::shared_ptr<agents::ReplayLog> log)
        : accepts_stream_(accepts_stream), log_(std::move(log)) {}

    /// Returns false if the agent accepts no streams, or if its session has too many.
    [[nodiscard]] bool try_take() {
        if (!accepts_stream_ || !log_) {
            return accepts_stream_;
        }
        return number_.with([this](std::optional<std::uint64_t>& number) {
            if (!is_decided_.load(std::memory_order_relaxed)) {
                number = log_->open();
                is_decided_.store(true, std::memory_order_release);
            }
            return number.has_value();
        });
    }
    /// Returns nothing if there is no log, or if the answer is not a stream. Takes no lock until it
    /// is decided that the answer needs one.
    [[nodiscard]] std::optional<std::uint64_t> number() const {
        if (!is_decided_.load(std::memory_order_acquire)) {
            return std::nullopt;
        }
        return number_.with([](const auto& number) { return number; });
    }
    /// Ends the stream without a last event.
    void close() const {
        if (const auto stream = number()) {
            log_->close(*stream);
        }
    }

private:
    const bool accepts_stream_;
    const std::shared_ptr<agents::ReplayLog> log_;
    std::atomic<bool> is_decided_ = false;  // set under the lock of the number
    resilience::Synchronized<std::optional<std::uint64_t>> number_;
};

/// The replay log and posted work share the stream, so its last owner may be on any loop. The
/// deleter posts destruction to the exchange's own loop.
std::shared_ptr<ResumedStream> make_resumed_stream(std::shared_ptr<net::HttpExchange> exchange) {
    const auto destroy_on_loop = [loop = exchange->loop()](ResumedStream* stream) {
        net::run_on(loop,
                    [owned = std::unique_ptr<ResumedStream>{stream}]() mutable { owned.reset(); });
    };
    return {std::make_unique<ResumedStream>(std::move(exchange)).release(), destroy_on_loop};
}

}  // namespace

/// The part of the port that lives on the exchange's loop.
class HttpPort::Inside final : public resilience::Timer,
                               public std::enable_shared_from_this<HttpPort::Inside> {
public:
    Inside(std::shared_ptr<net::HttpExchange> exchange, const HttpPortOptions& options)
        : exchange_(std::move(exchange)),
          timekeeper_(*exchange_->loop().timekeeper),
          options_(options),
          slot_(options.accepts_stream, options.log) {
        if (options_.accepts_stream) {
            wait(options_.is_primed ? options_.prime_after : options_.keep_alive);
        }
    }

    ~Inside() override { stop_waiting(); }

    void send(std::string_view message, net::Importance importance) {
        if (exchange_ == nullptr || !start_stream()) {
            return;
        }
        // Fails only if the agent has disconnected; it no longer wants the message.
        std::ignore = exchange_->send(logged_event(message, false), importance);
        wait(options_.keep_alive);
    }

    void finish(std::string message, int http_status) {
        const auto exchange = done();
        if (exchange == nullptr) {
            return;
        }
        if (!exchange->is_streaming()) {
            slot_.close();
            exchange->reply({.status = http_status, .body = std::move(message)});
            return;
        }
        std::ignore = exchange->send(logged_event(message, true), net::Importance::must_arrive);
        exchange->finish_stream();
    }

    void abandon() {
        const auto exchange = done();
        if (exchange == nullptr) {
            return;
        }
        slot_.close();
        if (exchange->is_gone()) {
            return;
        }
        if (exchange->is_streaming()) {
            exchange->finish_stream();
        } else {
            exchange->reply({.status = 202, .content_type = {}});
        }
    }

    void on_gone(std::function<void()> listener) {
        if (exchange_ != nullptr) {
            exchange_->on_gone(std::move(listener));
        }
    }

    /// False if the answer has to stay one text.
    [[nodiscard]] bool start_stream() {
        if (exchange_->is_streaming()) {
            return true;
        }
        if (!slot_.try_take()) {
            return false;
        }
        exchange_->start_stream({});
        const auto stream = slot_.number();
        if (stream && options_.is_primed) {
            std::ignore = exchange_->send(priming_event(agents::ReplayLog::first_id(*stream)),
                                          net::Importance::must_arrive);
        }
        return true;
    }

    [[nodiscard]] bool may_stream() { return slot_.try_take(); }

    void on_time() override {
        const auto self = shared_from_this();
        if (!start_stream()) {
            return;
        }
        std::ignore = exchange_->send(std::string{net::kSseKeepAlive}, net::Importance::droppable);
        wait(options_.keep_alive);
    }

    void stop_waiting() {
        if (is_scheduled()) {
            timekeeper_.cancel(*this);
        }
    }

private:
    std::shared_ptr<net::HttpExchange> done() {
        stop_waiting();
        return std::exchange(exchange_, nullptr);
    }

    std::string logged_event(std::string_view message, bool is_last) {
        const auto stream = slot_.number();
        return stream ? event_of(message,
                                 options_.log->add(*stream, message, is_last, timekeeper_.now()))
                      : event_of(message, {});
    }

    void wait(resilience::Duration limit) {
        timekeeper_.schedule(*this, timekeeper_.now() + limit);
    }

    std::shared_ptr<net::HttpExchange> exchange_;  // null once it has been answered
    resilience::Timekeeper& timekeeper_;
    const HttpPortOptions options_;
    StreamSlot slot_;
};

HttpPort::HttpPort(std::shared_ptr<net::HttpExchange> exchange, const HttpPortOptions& options)
    : options_(options),
      loop_(exchange->loop()),
      inside_(std::make_shared<Inside>(std::move(exchange), options)) {}

// NOLINTNEXTLINE(bugprone-exception-escape): only when out of memory, which ends the process.
HttpPort::~HttpPort() {
    net::run_on(loop_, [inside = inside_] { inside->abandon(); });
}

void HttpPort::send(std::string message, net::Importance importance) {
    net::run_on(loop_, [inside = inside_, message = std::move(message), importance] {
        inside->send(message, importance);
    });
}

void HttpPort::finish(std::string message, int http_status) {
    net::run_on(loop_, [inside = inside_, message = std::move(message), http_status]() mutable {
        inside->finish(std::move(message), http_status);
    });
}

bool HttpPort::can_ask() const {
    return inside_->may_stream();
}

void HttpPort::abandon() {
    net::run_on(loop_, [inside = inside_] { inside->abandon(); });
}

void HttpPort::on_gone(std::function<void()> listener) {
    if (options_.ends_with_connection) {
        net::run_on(loop_, [inside = inside_, listener = std::move(listener)]() mutable {
            inside->on_gone(std::move(listener));
        });
    }
}

HttpStreamOutlet::HttpStreamOutlet(const std::shared_ptr<net::HttpExchange>& exchange,
                                   const HttpPortOptions& options)
    : port_((exchange->start_stream({}), exchange), options) {}

void HttpStreamOutlet::send(std::string message, net::Importance importance) {
    port_.send(std::move(message), importance);
}

void HttpStreamOutlet::end() {
    port_.abandon();
}

bool resume_stream(const std::shared_ptr<net::HttpExchange>& exchange, agents::ReplayLog& log,
                   std::string_view last_event_id) {
    const auto stream = make_resumed_stream(exchange);
    const auto follower = [stream, loop = exchange->loop()](const agents::ReplayLog::Event& event) {
        net::run_on(loop, [stream, event] { stream->send(event); });
    };
    const bool is_known = log.resume(last_event_id, follower, exchange->loop().timekeeper->now());
    if (is_known) {
        stream->begin();
    }
    return is_known;
}

}  // namespace holdfast::front
