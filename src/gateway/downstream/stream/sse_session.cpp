#include "downstream/stream/sse_session.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <tuple>
#include <utility>
#include <variant>

#include "holdfast/resilience/expect.hpp"
#include "net/expect_no_exception.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using net::NetErrc;
using net::NetError;
using net::NetResult;
using resilience::Deadline;

/// Limit for the answer to a POST, which is ignored.
constexpr std::size_t kMaxReceiptBytes = std::size_t{64} * 1024;

NetError closed(std::string message) {
    return {.code = NetErrc::closed, .message = std::move(message)};
}

std::string status_text(std::string_view what, int status) {
    return "the server answered " + std::string{what} + " with HTTP status " +
           std::to_string(status);
}

NetError dropped(const net::SseTooLong& event) {
    return event.is_out_of_space ? NetError{.code = NetErrc::overloaded,
                                            .message = "the gateway is out of buffer space"}
                                 : NetError{.code = NetErrc::message_too_long,
                                            .message = "a message of the server is over the limit"};
}

/// Passes the next piece of the stream to the parser.
asio::awaitable<NetResult<void>> read_more(SseSession::Owner self, Deadline deadline) {
    const auto bytes = co_await self->stream->read_some(deadline);
    if (!bytes) {
        co_return bytes.error();
    }
    if (bytes->empty()) {
        co_return closed("the server has ended the stream");
    }
    self->parser.feed(*bytes);
    co_return NetResult<void>{};
}

/// Queues what the parser found. Returns false if the parser needs more bytes.
bool take_step(SseSession& self) {
    const net::SseStep step = self.parser.next();
    if (std::holds_alternative<net::SseNeedBytes>(step)) {
        return false;
    }
    if (const auto* event = std::get_if<net::SseEvent>(&step)) {
        if (event->is_message()) {
            self.unread.emplace_back(std::string{event->data});
            self.news.signal();
        }
    } else {
        self.unread.emplace_back(dropped(std::get<net::SseTooLong>(step)));
        self.news.signal();
    }
    return true;
}

asio::awaitable<void> read_stream(SseSession::Owner self) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!self->ended) {
        if (self->unread.size() >= self->options.max_unread_messages) {
            co_await self->room.wait_until(resilience::TimePoint::max());
            continue;
        }
        if (take_step(*self)) {
            continue;
        }
        if (const auto more = co_await read_more(self, Deadline::never()); !more) {
            self->end(more.error());
        }
    }
    self->stream.reset();
}

asio::awaitable<NetResult<void>> post(SseSession::Owner self, std::string message) {
    const auto deadline = self->within(self->options.post_wait);
    net::HttpClientRequest request{
        .method = "POST",
        .target = self->endpoint,
        .headers = "Content-Type: application/json\r\n" + self->target.headers,
        .body = std::move(message)};
    auto response = co_await self->target.client->send(self->loop, std::move(request), deadline);
    if (!response) {
        co_return closed("a message could not be posted: " + response.error().error.message);
    }
    const int status = (*response)->status();
    if (status < 200 || status >= 300) {
        co_return closed(status_text("a message", status));
    }
    // Reads to the end, so that the connection can be reused; ignored if that fails.
    std::ignore = co_await (*response)->read_all(kMaxReceiptBytes, deadline);
    co_return NetResult<void>{};
}

asio::awaitable<void> post_all(SseSession::Owner self) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!self->ended) {
        auto message = self->queue.take();
        self->is_posting = message.has_value();
        if (!message) {
            self->all_sent.signal();
            co_await self->work.wait_until(resilience::TimePoint::max());
            continue;
        }
        if (const auto posted = co_await post(self, std::move(*message)); !posted) {
            self->end(posted.error());
        }
    }
}

}  // namespace

SseSession::SseSession(net::OwningLoop owner, SseTarget where, SseChannelOptions limits)
    : loop(std::move(owner)),
      target(std::move(where)),
      options(limits),
      parser({.max_event_bytes = options.max_message_bytes, .buffers = loop.buffers}),
      queue(options.write_queue),
      news(*loop.timekeeper),
      room(*loop.timekeeper),
      work(*loop.timekeeper),
      all_sent(*loop.timekeeper) {}

asio::awaitable<NetResult<void>> SseSession::open(Owner self, Deadline deadline) {
    net::HttpClientRequest request{
        .method = "GET",
        .target = self->target.url.target,
        .headers = "Accept: text/event-stream\r\n" + self->target.headers};
    auto response = co_await self->target.client->send(self->loop, std::move(request), deadline);
    if (!response) {
        co_return response.error().error;
    }
    const std::string_view type = (*response)->headers().find("Content-Type").value_or("");
    if ((*response)->status() != 200 || !type.starts_with("text/event-stream")) {
        co_return closed(status_text("the request for its stream", (*response)->status()) +
                         " and no stream of events");
    }
    self->stream = std::move(*response);
    while (true) {
        const net::SseStep step = self->parser.next();
        const auto* event = std::get_if<net::SseEvent>(&step);
        if (event != nullptr && event->type == "endpoint") {
            co_return self->accept_endpoint(event->data);
        }
        if (std::holds_alternative<net::SseNeedBytes>(step)) {
            if (auto more = co_await read_more(self, deadline); !more) {
                co_return more;
            }
        }
    }
}

NetResult<void> SseSession::accept_endpoint(std::string_view reference) {
    const auto url = net::resolved_url(target.url, reference);
    if (!url) {
        return url.error();
    }
    if (!url->has_same_origin(target.url)) {
        return NetError{
            .code = NetErrc::invalid_request,
            .message = "the server names an endpoint of another origin, " + url->authority()};
    }
    endpoint = url->target;
    return {};
}

void SseSession::serve(const Owner& self) {
    asio::co_spawn(
        self->loop.executor, read_stream(self),
        asio::bind_cancellation_slot(self->stop_reading.slot(), net::expect_no_exception));
    asio::co_spawn(
        self->loop.executor, post_all(self),
        asio::bind_cancellation_slot(self->stop_posting.slot(), net::expect_no_exception));
}

void SseSession::end(NetError why) {
    if (ended) {
        return;
    }
    why.code = NetErrc::closed;
    ended = std::move(why);
    queue.clear();
    for (resilience::OneShot* waiter : {&news, &room, &work, &all_sent}) {
        waiter->signal();
    }
    stop_reading.emit(asio::cancellation_type::terminal);
    stop_posting.emit(asio::cancellation_type::terminal);
}

}  // namespace holdfast::downstream
