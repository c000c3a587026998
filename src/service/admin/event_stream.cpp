#include "admin/event_stream.hpp"

#include <atomic>
#include <boost/asio/post.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "admin/record_json.hpp"
#include "net/sse_writer.hpp"

namespace holdfast::admin {

bool EventStream::start(const std::shared_ptr<net::HttpExchange>& exchange,
                        const std::shared_ptr<telemetry::Recording>& recording, std::uint64_t after,
                        std::string_view headers, const EventStreamOptions& options) {
    const auto stream = std::make_shared<EventStream>(exchange, recording, after, options);
    const std::weak_ptr<EventStream> weak = stream;
    // One wake-up at a time: events that arrive meanwhile are sent together.
    const auto is_awake = std::make_shared<std::atomic<bool>>(false);
    stream->subscription_ =
        recording->events().subscribe([weak, is_awake, executor = stream->loop_.executor] {
            if (is_awake->exchange(true)) {
                return;
            }
            boost::asio::post(executor, [weak, is_awake] {
                is_awake->store(false);
                if (const auto alive = weak.lock()) {
                    alive->send_new();
                }
            });
        });
    if (!stream->subscription_) {
        return false;
    }
    stream->alive_ = stream;
    exchange->on_gone([weak] {
        if (const auto alive = weak.lock()) {
            alive->end();
        }
    });
    exchange->start_stream(headers);
    // Sent first, so that the client knows at once that the stream is open.
    std::ignore = exchange->send(std::string{net::kSseKeepAlive}, net::Importance::droppable);
    stream->send_new();
    stream->on_time();
    return true;
}

EventStream::EventStream(std::shared_ptr<net::HttpExchange> exchange,
                         std::shared_ptr<telemetry::Recording> recording, std::uint64_t after,
                         const EventStreamOptions& options)
    : recording_(std::move(recording)),
      options_(options),
      loop_(exchange->loop()),
      exchange_(std::move(exchange)),
      last_(after) {}

void EventStream::send_new() {
    while (exchange_) {
        const auto events = recording_->events().after(last_, options_.batch);
        if (events.empty()) {
            return;
        }
        std::string text;
        for (const telemetry::EventFeed::Item& event : events) {
            const std::string id = std::to_string(event->number);
            net::append_sse_event(text, {.data = json_of(*event), .id = id});
        }
        last_ = events.back()->number;
        std::ignore = exchange_->send(std::move(text), net::Importance::droppable);
    }
}

void EventStream::on_time() {
    if (!exchange_) {
        return;
    }
    std::ignore = exchange_->send(std::string{net::kSseKeepAlive}, net::Importance::droppable);
    loop_.timekeeper->schedule(
        *this, resilience::saturating_add(loop_.timekeeper->now(), options_.keep_alive));
}

// The loop ends: nothing more is sent.
void EventStream::on_abandoned() {
    const auto self = std::exchange(alive_, nullptr);
    subscription_.reset();
    exchange_.reset();
}

void EventStream::end() {
    const auto self = std::exchange(alive_, nullptr);
    if (is_scheduled()) {
        loop_.timekeeper->cancel(*this);
    }
    subscription_.reset();
    exchange_.reset();
}

}  // namespace holdfast::admin
