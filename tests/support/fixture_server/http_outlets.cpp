#include "support/fixture_server/http_outlets.hpp"

#include <charconv>
#include <chrono>
#include <tuple>
#include <utility>

#include "net/sse_writer.hpp"

namespace holdfast::fixture {
namespace {

constexpr std::chrono::milliseconds kRetry{100};

std::string event_text(std::string_view message, std::string_view id = {}) {
    std::string event;
    net::append_sse_event(event, {.data = message, .type = "message", .id = id});
    return event;
}

void send_bytes(net::HttpExchange& exchange, std::string bytes) {
    // `on_gone` reports a client that has gone.
    std::ignore = exchange.send(std::move(bytes), net::Importance::must_arrive);
}

net::HttpReply json_reply(std::string_view body, int status, std::string headers = {}) {
    return {.status = status, .headers = std::move(headers), .body = std::string{body}};
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && rest == text.data() + text.size();
}

}  // namespace

HttpOutlet::HttpOutlet(std::shared_ptr<net::HttpExchange> exchange, Streaming streaming)
    : exchange_(std::move(exchange)), streaming_(streaming) {}

void HttpOutlet::start() {
    if (exchange_ && !exchange_->is_streaming()) {
        exchange_->start_stream({});
    }
}

void HttpOutlet::send(std::string_view message) {
    start();
    if (exchange_) {
        send_bytes(*exchange_, event_text(message));
    }
}

void HttpOutlet::finish(std::string_view message, int http_status) {
    if (streaming_ == Streaming::always && http_status == 200) {
        start();
    }
    const auto exchange = std::exchange(exchange_, nullptr);
    if (!exchange) {
        return;
    }
    if (exchange->is_streaming()) {
        send_bytes(*exchange, event_text(message));
        exchange->finish_stream();
    } else {
        exchange->reply(json_reply(message, http_status));
    }
}

void HttpOutlet::abandon() {
    start();
    if (const auto exchange = std::exchange(exchange_, nullptr)) {
        exchange->finish_stream();
    }
}

void HttpOutlet::send_junk() {
    finish(kJunk, 200);
}

ResumableOutlet::ResumableOutlet(std::shared_ptr<net::HttpExchange> exchange, Options options)
    : options_(std::move(options)), exchange_(std::move(exchange)) {}

std::string ResumableOutlet::event_id(std::size_t index) const {
    return std::to_string(options_.stream) + "-" + std::to_string(index);
}

void ResumableOutlet::start() {
    if (std::exchange(has_started_, true) || !exchange_) {
        return;
    }
    exchange_->start_stream(options_.headers);
    if (options_.has_priming_event) {
        std::string event;
        net::append_sse_event(event, {.data = {}, .id = event_id(0), .retry = kRetry});
        send_bytes(*exchange_, std::move(event));
    }
}

void ResumableOutlet::keep(std::string_view message) {
    const std::string event = event_text(message, event_id(events_.size() + 1));
    if (events_.size() < kMaxEvents) {
        events_.push_back(event);
    }
    if (exchange_) {
        send_bytes(*exchange_, event);
    }
}

void ResumableOutlet::end() {
    is_over_ = true;
    if (const auto exchange = std::exchange(exchange_, nullptr)) {
        exchange->finish_stream();
    }
}

void ResumableOutlet::send(std::string_view message) {
    if (!is_over_) {
        start();
        keep(message);
    }
}

void ResumableOutlet::finish(std::string_view message, int http_status) {
    if (is_over_) {
        return;
    }
    if (options_.streaming == Streaming::always && http_status == 200) {
        start();
    }
    if (!has_started_) {
        is_over_ = true;
        std::exchange(exchange_, nullptr)
            ->reply(json_reply(message, http_status, options_.headers));
        return;
    }
    keep(message);
    end();
}

void ResumableOutlet::abandon() {
    if (!is_over_) {
        start();
        end();
    }
}

void ResumableOutlet::send_junk() {
    finish(kJunk, 200);
}

void ResumableOutlet::interrupt() {
    if (is_over_ || !options_.has_priming_event) {
        return;  // an older client would not reconnect
    }
    start();
    if (const auto exchange = std::exchange(exchange_, nullptr)) {
        exchange->finish_stream();
    }
}

void ResumableOutlet::resume(std::shared_ptr<net::HttpExchange> exchange, std::size_t last_index) {
    if (exchange_ && !exchange_->is_gone()) {
        exchange_->finish_stream();
    }
    exchange_ = std::move(exchange);
    exchange_->start_stream(options_.headers);
    for (std::size_t index = last_index; index < events_.size(); ++index) {
        send_bytes(*exchange_, events_[index]);
    }
    if (is_over_) {
        end();
    }
}

std::optional<EventPosition> event_position(std::string_view last_event_id) {
    const std::size_t dash = last_event_id.find('-');
    EventPosition position;
    if (dash == std::string_view::npos ||
        !read_number(last_event_id.substr(0, dash), position.stream) ||
        !read_number(last_event_id.substr(dash + 1), position.index)) {
        return std::nullopt;
    }
    return position;
}

}  // namespace holdfast::fixture
