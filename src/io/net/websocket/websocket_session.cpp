#include "net/websocket/websocket_session.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <utility>

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;

// Maximum size of one read, so that a limit is noticed soon after it is exceeded.
constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
// Frames of a client are masked into a buffer of this size; each filling is one write.
constexpr std::size_t kMaskBytes = std::size_t{16} * 1024;
// A larger buffer, caused by a message, is freed.
constexpr std::size_t kKeptBytes = std::size_t{1024} * 1024;
// A close frame has 125 bytes, and its code takes two of them.
constexpr std::size_t kMaxCloseTextBytes = 123;

NetError lost(const boost::system::error_code& error) {
    return {
        .code = NetErrc::closed,
        .message = "the WebSocket was lost: " + error.message(),
        .system_code = error.category() == boost::system::system_category() ? error.value() : 0};
}

NetError closed_by_peer(const websocket::close_reason& reason) {
    std::string message = "the peer closed the WebSocket";
    if (reason.code != websocket::close_code::none) {
        message += " with code " + std::to_string(reason.code);
    }
    if (!reason.reason.empty()) {
        message += ": ";
        message.append(reason.reason.data(), reason.reason.size());
    }
    return {.code = NetErrc::closed, .message = std::move(message)};
}

}  // namespace

template <class Stream>
WebSocketSession<Stream>::WebSocketSession(const OwningLoop& loop, Stream stream,
                                           const WebSocketChannelOptions& options)
    : loop_(loop),
      options_(options),
      stream_(std::move(stream)),
      queue_(options.write_queue),
      reader_(*loop.timekeeper),
      closer_(*loop.timekeeper),
      room_made_(*loop.timekeeper),
      last_received_(loop.timekeeper->now()) {}

template <class Stream>
WebSocketSession<Stream>::~WebSocketSession() {
    if (is_scheduled()) {
        loop_.timekeeper->cancel(*this);
    }
}

template <class Stream>
void WebSocketSession<Stream>::start() {
    stream_.set_option(websocket::stream_base::timeout{websocket::stream_base::none(),
                                                       websocket::stream_base::none(), false});
    stream_.read_message_max(0);  // checked here, to notify the reader immediately
    stream_.auto_fragment(false);
    stream_.write_buffer_bytes(kMaskBytes);
    stream_.text(true);
    stream_.control_callback(
        [this](websocket::frame_type kind, boost::beast::string_view) { on_control(kind); });
    watch(Watch::quiet, options_.ping_every);
}

template <class Stream>
void WebSocketSession<Stream>::end(NetError reason) {
    if (!ended_) {
        ended_ = std::move(reason);
    }
    queue_.clear();
    if (is_scheduled()) {
        loop_.timekeeper->cancel(*this);
    }
    if (std::exchange(is_socket_open_, false)) {
        Error ignored;  // a socket that cannot be closed has been closed already
        std::ignore = boost::beast::get_lowest_layer(stream_).close(ignored);
    }
    reader_.signal();
    closer_.signal();
    room_made_.signal();
    count_queue();
}

template <class Stream>
void WebSocketSession<Stream>::watch(Watch what, resilience::Duration wait) {
    watch_ = what;
    loop_.timekeeper->schedule(*this, resilience::saturating_add(loop_.timekeeper->now(), wait));
}

template <class Stream>
void WebSocketSession<Stream>::on_time() {
    const resilience::Duration silence =
        resilience::elapsed_between(last_received_, loop_.timekeeper->now());
    switch (watch_) {
        case Watch::quiet:
            if (silence < options_.ping_every) {
                watch(Watch::quiet, options_.ping_every - silence);
            } else if (is_reading_) {
                ask_for_sign_of_life();
            } else {
                // Without a reader, pongs are not received; the peer may be healthy.
                watch(Watch::quiet, options_.ping_every);
            }
            return;
        case Watch::pong:
            if (is_awaited_ && is_awaited_()) {
                watch(Watch::pong, options_.pong_wait);
                return;
            }
            end({.code = NetErrc::closed,
                 .message = "the WebSocket was lost: the peer does not answer pings"});
            return;
        case Watch::closing:
            end({.code = NetErrc::closed, .message = "the WebSocket has been closed"});
            return;
    }
}

template <class Stream>
void WebSocketSession<Stream>::ask_for_sign_of_life() {
    watch(Watch::pong, options_.pong_wait);
    if (!std::exchange(is_pinging_, true)) {
        stream_.async_ping({}, [self = this->shared_from_this()](const Error&) {
            self->is_pinging_ = false;  // the reader notices a failed connection
        });
    }
}

template <class Stream>
void WebSocketSession<Stream>::on_sign_of_life() {
    last_received_ = loop_.timekeeper->now();
    if (watch_ == Watch::pong) {
        watch(Watch::quiet, options_.ping_every);
    }
}

template <class Stream>
void WebSocketSession<Stream>::start_read() {
    if (is_reading_ || ended_) {
        return;
    }
    is_reading_ = true;
    stream_.async_read_some(incoming_, kReadBytes,
                            [self = this->shared_from_this()](const Error& error, std::size_t) {
                                self->on_read(error);
                            });
}

template <class Stream>
void WebSocketSession<Stream>::on_read(const Error& error) {
    is_reading_ = false;
    if (error) {
        end(error == websocket::error::closed ? closed_by_peer(stream_.reason()) : lost(error));
        return;
    }
    on_sign_of_life();
    if (ended_) {
        return;
    }
    if (stream_.got_binary()) {
        refuse(websocket::close_code::unknown_data,
               {.code = NetErrc::closed,
                .message = "the peer sent a binary message where only text is allowed"});
        return;
    }
    if (incoming_.size() > options_.max_message_bytes) {
        refuse(websocket::close_code::too_big,
               {.code = NetErrc::message_too_long,
                .message = "a message of the peer is over the limit of " +
                           std::to_string(options_.max_message_bytes) + " bytes"});
        return;
    }
    if (!share_.try_resize(incoming_.size())) {
        refuse(websocket::close_code::try_again_later,
               {.code = NetErrc::overloaded, .message = "the gateway is out of buffer space"});
        return;
    }
    if (!stream_.is_message_done()) {
        start_read();
        return;
    }
    is_complete_ = true;
    reader_.signal();
}

template <class Stream>
void WebSocketSession<Stream>::on_control(websocket::frame_type kind) {
    on_sign_of_life();
    if (kind == websocket::frame_type::close && !ended_) {
        // Beast answers it and then waits for the peer to close. No one else needs to wait.
        ended_ = closed_by_peer(stream_.reason());
        watch(Watch::closing, options_.close_wait);
        reader_.signal();
    }
}

template <class Stream>
void WebSocketSession<Stream>::refuse(websocket::close_code code, NetError reason) {
    ended_ = std::move(reason);
    queue_.clear();
    count_queue();
    reader_.signal();
    room_made_.signal();
    if (!is_closing_) {
        start_close(code);
    }
}

template <class Stream>
NetResult<void> WebSocketSession<Stream>::try_write(std::string_view json, bool is_urgent) {
    if (ended_ || wants_close_) {
        return NetError{.code = NetErrc::closed, .message = "the WebSocket has been closed"};
    }
    auto pushed =
        is_urgent ? queue_.try_push_urgent(std::string{json}) : queue_.try_push(std::string{json});
    if (pushed) {
        start_write();
        count_queue();
    }
    return pushed;
}

template <class Stream>
void WebSocketSession<Stream>::count_queue() {
    // Not `try_resize`: an answer that exists is not refused.
    queue_share_.resize(queue_.size_bytes());
}

template <class Stream>
Unwritten WebSocketSession<Stream>::unwritten() const {
    if (!is_socket_open_) {
        return {};
    }
    return {.messages = queue_.message_count() + (outgoing_ ? 1 : 0),
            .size_bytes = queue_.size_bytes() + (outgoing_ ? outgoing_->size() : 0)};
}

template <class Stream>
void WebSocketSession<Stream>::start_write() {
    if (outgoing_ || is_closing_ || !is_socket_open_) {
        return;
    }
    outgoing_ = queue_.take();
    if (outgoing_) {
        stream_.async_write(asio::buffer(*outgoing_),
                            [self = this->shared_from_this()](const Error& error, std::size_t) {
                                self->on_written(error);
                            });
    } else if (wants_close_) {
        start_close({close_code_, close_text_});
    }
}

template <class Stream>
void WebSocketSession<Stream>::on_written(const Error& error) {
    outgoing_.reset();
    if (error) {
        if (!ended_) {
            end(lost(error));
        }
        return;
    }
    start_write();
    count_queue();
    room_made_.signal();
}

template <class Stream>
void WebSocketSession<Stream>::start_close(const websocket::close_reason& reason) {
    is_closing_ = true;
    watch(Watch::closing, options_.close_wait);
    stream_.async_close(reason, [self = this->shared_from_this()](const Error&) {
        self->on_closed();  // with or without an error, nothing is left to do
    });
}

template <class Stream>
void WebSocketSession<Stream>::on_closed() {
    end({.code = NetErrc::closed, .message = "the WebSocket has been closed"});
}

template <class Stream>
void WebSocketSession<Stream>::forget_message() {
    is_complete_ = false;
    is_delivered_ = false;
    incoming_.clear();
    share_.resize(0);
    if (incoming_.capacity() > kKeptBytes) {
        incoming_.shrink_to_fit();
    }
}

template <class Stream>
asio::awaitable<NetResult<std::string_view>> WebSocketSession<Stream>::read() {
    const auto self = this->shared_from_this();  // the channel may be destroyed during the wait
    const bool threw_if_cancelled = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto message = co_await next_message();
    co_await asio::this_coro::throw_if_cancelled(threw_if_cancelled);
    co_return message;
}

template <class Stream>
asio::awaitable<NetResult<std::string_view>> WebSocketSession<Stream>::next_message() {
    if (is_delivered_) {
        forget_message();
    }
    while (!is_complete_ && !ended_ && !wants_close_ && !is_read_over_) {
        start_read();
        const auto reason = co_await reader_.wait_until(resilience::TimePoint::max());
        if (reason == resilience::WakeReason::cancelled) {
            co_return NetError{.code = NetErrc::cancelled, .message = "the read was cancelled"};
        }
    }
    if (is_complete_) {
        is_delivered_ = true;
        const auto bytes = incoming_.cdata();
        co_return std::string_view{static_cast<const char*>(bytes.data()), bytes.size()};
    }
    NetError error = ended_.value_or(
        NetError{.code = NetErrc::closed, .message = "the WebSocket has been closed"});
    if (error.code == NetErrc::message_too_long || error.code == NetErrc::overloaded) {
        ended_ = NetError{.code = NetErrc::closed, .message = "closed after a refused message"};
    }
    co_return error;
}

template <class Stream>
asio::awaitable<void> WebSocketSession<Stream>::wait_for_room(Unwritten limit) {
    const auto self = this->shared_from_this();
    while (!ended_ && !wants_close_ && !is_read_over_ && !unwritten().is_within(limit) &&
           co_await room_made_.wait_until(resilience::TimePoint::max()) ==
               resilience::WakeReason::signalled) {
    }
}

template <class Stream>
bool WebSocketSession<Stream>::is_flushed() const {
    const bool owes_close_frame = is_read_over_ && !is_closing_ && !ended_;
    int size_bytes = 0;
    // The lowest layer has no constant access to its descriptor.
    auto& socket = boost::beast::get_lowest_layer(const_cast<Stream&>(stream_));
    return unwritten().messages == 0 && !owes_close_frame &&
           (!is_socket_open_ || ::ioctl(socket.native_handle(), SIOCOUTQ, &size_bytes) != 0 ||
            size_bytes == 0);
}

template <class Stream>
void WebSocketSession<Stream>::stop_reading() {
    is_read_over_ = true;
    reader_.signal();
    room_made_.signal();
}

template <class Stream>
void WebSocketSession<Stream>::give_up(std::string_view words) {
    if (ended_ || wants_close_) {
        return;
    }
    queue_.clear();
    count_queue();
    wants_close_ = true;
    close_code_ = websocket::close_code::policy_error;
    close_text_ = words.substr(0, kMaxCloseTextBytes);
    watch(Watch::closing, options_.close_wait);
    reader_.signal();
    room_made_.signal();
    start_write();
}

template <class Stream>
asio::awaitable<void> WebSocketSession<Stream>::close(std::string words) {
    const auto self = this->shared_from_this();
    if (!wants_close_ && !ended_) {
        wants_close_ = true;
        close_text_ = words.substr(0, kMaxCloseTextBytes);
        watch(Watch::closing, options_.close_wait);
        reader_.signal();
        room_made_.signal();
        start_write();
    }
    // The watch ends it in any case, so this wait needs no timeout.
    while (is_socket_open_) {
        const auto reason = co_await closer_.wait_until(resilience::TimePoint::max());
        if (reason == resilience::WakeReason::cancelled) {
            co_return;
        }
    }
}

// Instantiated only here, because these Beast templates are slow to compile.
template class WebSocketSession<TcpWebSocket>;
template class WebSocketSession<TlsWebSocket>;

}  // namespace holdfast::net
