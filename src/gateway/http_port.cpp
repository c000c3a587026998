#include "gateway/http_port.hpp"

#include <utility>

#include "gateway/on_loop.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/sse_writer.hpp"

namespace holdfast::gateway {
namespace {

std::string event_of(std::string_view message) {
    std::string event;
    net::append_sse_event(event, {.data = message});
    return event;
}

}  // namespace

/// What lives on the loop of the exchange.
class HttpPort::Inside final : public resilience::Timer,
                               public std::enable_shared_from_this<HttpPort::Inside> {
public:
    Inside(std::shared_ptr<net::HttpExchange> exchange, const HttpPortOptions& options)
        : exchange_(std::move(exchange)), options_(options) {
        if (options_.accepts_stream) {
            wait_again();
        }
    }

    ~Inside() override { stop_waiting(); }

    void send(std::string message, Importance importance) {
        if (exchange_ == nullptr || !options_.accepts_stream) {
            return;
        }
        start_stream();
        // The agent may have gone; what it misses it does not want.
        std::ignore = exchange_->send(event_of(message), importance);
        wait_again();
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
        std::ignore = exchange->send(event_of(message), Importance::must_arrive);
        exchange->finish_stream();
    }

    void abandon() {
        const auto exchange = done();
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
        if (!exchange_->is_streaming()) {
            exchange_->start_stream({});
        }
    }

    void on_time() override {
        const auto self = shared_from_this();
        start_stream();
        std::ignore = exchange_->send(":\n\n", Importance::droppable);
        wait_again();
    }

    void stop_waiting() {
        if (is_scheduled()) {
            exchange_->loop().timekeeper->cancel(*this);
        }
    }

private:
    std::shared_ptr<net::HttpExchange> done() {
        if (exchange_ != nullptr) {
            stop_waiting();
        }
        return std::exchange(exchange_, nullptr);
    }

    void wait_again() {
        resilience::Timekeeper& timekeeper = *exchange_->loop().timekeeper;
        timekeeper.schedule(*this, timekeeper.now() + options_.keep_alive);
    }

    std::shared_ptr<net::HttpExchange> exchange_;  // null once it has its answer
    const HttpPortOptions options_;
};

HttpPort::HttpPort(std::shared_ptr<net::HttpExchange> exchange, const HttpPortOptions& options)
    : options_(options),
      loop_(exchange->loop()),
      inside_(std::make_shared<Inside>(std::move(exchange), options)) {}

HttpPort::~HttpPort() {
    on_loop(loop_, [inside = inside_] { inside->abandon(); });
}

void HttpPort::send(std::string message, Importance importance) {
    on_loop(loop_, [inside = inside_, message = std::move(message), importance]() mutable {
        inside->send(std::move(message), importance);
    });
}

void HttpPort::finish(std::string message, int http_status) {
    on_loop(loop_, [inside = inside_, message = std::move(message), http_status]() mutable {
        inside->finish(std::move(message), http_status);
    });
}

void HttpPort::abandon() {
    on_loop(loop_, [inside = inside_] { inside->abandon(); });
}

void HttpPort::on_gone(std::function<void()> listener) {
    if (options_.ends_with_connection) {
        on_loop(loop_, [inside = inside_, listener = std::move(listener)]() mutable {
            inside->on_gone(std::move(listener));
        });
    }
}

HttpStreamOutlet::HttpStreamOutlet(std::shared_ptr<net::HttpExchange> exchange,
                                   const HttpPortOptions& options)
    : port_((exchange->start_stream({}), exchange), options) {}

void HttpStreamOutlet::send(std::string message, net::Importance importance) {
    port_.send(std::move(message), importance);
}

void HttpStreamOutlet::end() {
    port_.abandon();
}

}  // namespace holdfast::gateway
