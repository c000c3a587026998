#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "downstream/sse_channel.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/sse_parser.hpp"
#include "net/write_queue.hpp"

namespace holdfast::downstream {

/// A session over HTTP and server-sent events. Shared by the channel and the two coroutines that
/// serve it; these end soon after `end`.
///
/// Thread-safety: none; belongs to its loop.
struct SseSession {
    SseSession(net::OwningLoop owner, SseTarget where, SseChannelOptions limits);

    using Owner = std::shared_ptr<SseSession>;

    /// Opens the stream and reads it up to the endpoint.
    [[nodiscard]] static boost::asio::awaitable<net::NetResult<void>> open(
        Owner self, resilience::Deadline deadline);
    /// Starts to read and to post. Call once, after `open`.
    static void serve(const Owner& self);
    /// Ends both coroutines. Only the first reason counts.
    void end(net::NetError why);

    [[nodiscard]] net::NetResult<void> accept_endpoint(std::string_view reference);
    [[nodiscard]] resilience::Deadline within(resilience::Duration wait) const {
        return resilience::Deadline::after(loop.timekeeper->now(), wait);
    }

    const net::OwningLoop loop;
    const SseTarget target;
    const SseChannelOptions options;
    std::string endpoint = {};  ///< The target of the POSTs.
    std::unique_ptr<net::HttpClientResponse> stream = {};
    net::SseParser parser;

    std::deque<net::NetResult<std::string>> unread = {};  ///< An error = a dropped message.
    std::string last_read = {};  ///< Owns the text of the view returned last.
    net::WriteQueue queue;
    bool is_posting = false;
    std::optional<net::NetError> ended = std::nullopt;

    resilience::OneShot news;      ///< Wakes the caller of `read`.
    resilience::OneShot room;      ///< Wakes the stream's reader when unread messages were taken.
    resilience::OneShot work;      ///< Wakes the poster.
    resilience::OneShot all_sent;  ///< Wakes the closer.
    boost::asio::cancellation_signal stop_reading;
    boost::asio::cancellation_signal stop_posting;
};

}  // namespace holdfast::downstream
