#include "front/http_port.hpp"

#include <memory>
#include <tuple>
#include <utility>

#include "holdfast/resilience/timekeeper.hpp"
#include "net/run_on.hpp"
#include "net/sse_writer.hpp"

// How an answer goes back over HTTP. The ports may be used from any loop; what they do is done on
// the loop of the exchange (`HttpPort::Inside`), in the order in which it was asked for. An answer
// begins as nothing and becomes one text or a stream; a stream of a legacy session is kept in its
// log, from where another exchange can take it up (`ResumedStream`).

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

/// A stream that goes on in another exchange. With all that the agent missed it may have come to
/// its end already, so only this knows whether it has begun.
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
            return;  // Yet another exchange has taken the stream up, and has this event too.
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

/// The log shares it with the work on its way to the loop of the exchange, and may be the last to
/// let go of it, on any loop. With it goes the exchange, so it is sent home for that.
std::shared_ptr<ResumedStream> make_resumed_stream(std::shared_ptr<net::HttpExchange> exchange) {
    const auto send_home = [loop = exchange->loop()](ResumedStream* stream) {
        net::run_on(loop,
                    [owned = std::unique_ptr<ResumedStream>{stream}]() mutable { owned.reset(); });
    };
    return {std::make_unique<ResumedStream>(std::move(exchange)).release(), send_home};
}

}  // namespace

/// What lives on the loop of the exchange.
class HttpPort::Inside final : public resilience::Timer,
                               public std::enable_shared_from_this<HttpPort::Inside> {
public:
    Inside(std::shared_ptr<net::HttpExchange> exchange, const HttpPortOptions& options)
        : exchange_(std::move(exchange)),
          timekeeper_(*exchange_->loop().timekeeper),
          options_(options) {
        if (options_.accepts_stream) {
            wait(options_.is_primed ? options_.prime_after : options_.keep_alive);
        }
    }

    ~Inside() override { stop_waiting(); }

    void send(std::string_view message, net::Importance importance) {
        if (exchange_ == nullptr || !options_.accepts_stream) {
            return;
        }
        start_stream();
        // The agent may have gone; what it misses it does not want.
        std::ignore = exchange_->send(logged_event(message, false), importance);
        wait(options_.keep_alive);
    }

    void finish(std::string message, int http_status) {
        const auto exchange = done();
        if (exchange == nullptr) {
            return;
        }
        if (!exchange->is_streaming()) {
            exchange->reply({.status = http_status, .body = std::move(message)});
            return;
        }
        std::ignore = exchange->send(logged_event(message, true), net::Importance::must_arrive);
        exchange->finish_stream();
    }

    void abandon() {
        const auto exchange = done();
        if (exchange != nullptr && options_.log) {
            options_.log->close(stream_);
        }
        if (exchange == nullptr || exchange->is_gone()) {
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

    void start_stream() {
        if (exchange_->is_streaming()) {
            return;
        }
        exchange_->start_stream({});
        if (options_.log) {
            stream_ = options_.log->open();
        }
        if (options_.log && options_.is_primed) {
            std::ignore = exchange_->send(priming_event(agents::ReplayLog::first_id(stream_)),
                                          net::Importance::must_arrive);
        }
    }

    void on_time() override {
        const auto self = shared_from_this();
        start_stream();
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
        if (!options_.log) {
            return event_of(message, {});
        }
        return event_of(message, options_.log->add(stream_, message, is_last, timekeeper_.now()));
    }

    void wait(resilience::Duration limit) {
        timekeeper_.schedule(*this, timekeeper_.now() + limit);
    }

    std::shared_ptr<net::HttpExchange> exchange_;  // null once it has its answer
    resilience::Timekeeper& timekeeper_;
    const HttpPortOptions options_;
    std::uint64_t stream_ = 0;  // in the log
};

HttpPort::HttpPort(std::shared_ptr<net::HttpExchange> exchange, const HttpPortOptions& options)
    : options_(options),
      loop_(exchange->loop()),
      inside_(std::make_shared<Inside>(std::move(exchange), options)) {}

// NOLINTNEXTLINE(bugprone-exception-escape): only for want of memory, which ends the process.
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
