#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/buffer_budget.hpp"
#include "net/websocket/websocket_channel.hpp"
#include "net/write_queue.hpp"

namespace holdfast::net {

/// One WebSocket and its running operations. Operations end in callbacks, which share ownership; a
/// coroutine waits in a `OneShot`, so that a cancelled wait does not affect the stream. `end`
/// closes the socket; later callbacks then do nothing.
///
/// Thread-safety: none; belongs to its loop.
template <class Stream>
class WebSocketSession final : public std::enable_shared_from_this<WebSocketSession<Stream>>,
                               private resilience::Timer {
public:
    WebSocketSession(const OwningLoop& loop, Stream stream, const WebSocketChannelOptions& options);
    ~WebSocketSession() override;

    /// Requires ownership by a shared pointer.
    void start();
    /// Closes the socket immediately. Later reads get `reason`; the first reason stays.
    void end(NetError reason);

    void be_patient_while(std::function<bool()> is_awaited) { is_awaited_ = std::move(is_awaited); }
    [[nodiscard]] NetResult<void> try_write(std::string_view json, bool is_urgent);
    [[nodiscard]] boost::asio::awaitable<NetResult<std::string_view>> read();
    [[nodiscard]] Unwritten unwritten() const;
    [[nodiscard]] boost::asio::awaitable<void> wait_for_room(Unwritten limit);
    [[nodiscard]] bool is_flushed() const;
    void stop_reading();
    void give_up(std::string_view words);
    [[nodiscard]] boost::asio::awaitable<void> close(std::string words);

private:
    using Error = boost::system::error_code;

    /// What the timer waits for.
    enum class Watch {
        quiet,    ///< A time without traffic.
        pong,     ///< The answer to a ping.
        closing,  ///< The end of the closing handshake.
    };

    [[nodiscard]] boost::asio::awaitable<NetResult<std::string_view>> next_message();

    void on_time() override;
    void watch(Watch what, resilience::Duration wait);
    void ask_for_sign_of_life();
    void on_sign_of_life();

    void start_read();
    void on_read(const Error& error);
    void on_control(boost::beast::websocket::frame_type kind);
    void start_write();
    void on_written(const Error& error);
    /// Counts what is queued in the budget for buffers.
    void count_queue();
    void start_close(const boost::beast::websocket::close_reason& reason);
    void on_closed();
    /// Ends because of the peer: reads get the error immediately, the peer gets the code.
    void refuse(boost::beast::websocket::close_code code, NetError reason);
    void forget_message();

    const OwningLoop loop_;
    const WebSocketChannelOptions options_;

    Stream stream_;
    WriteQueue queue_;
    boost::beast::flat_buffer incoming_;
    BufferShare share_{loop_.buffers};  // of the message in `incoming_`
    BufferShare queue_share_{loop_.buffers};
    std::optional<std::string> outgoing_;  // the message that is being written
    resilience::OneShot reader_;
    resilience::OneShot closer_;
    resilience::OneShot room_made_;
    std::optional<NetError> ended_;  // set when no more messages arrive
    std::string close_text_;         // for the peer, in the close frame
    boost::beast::websocket::close_code close_code_ = boost::beast::websocket::close_code::normal;
    resilience::TimePoint last_received_;
    std::function<bool()> is_awaited_;
    Watch watch_ = Watch::quiet;
    bool is_reading_ = false;
    bool is_pinging_ = false;
    bool is_complete_ = false;   // a message is in `incoming_`
    bool is_delivered_ = false;  // and the reader has it
    bool is_read_over_ = false;  // although the peer may send more
    bool wants_close_ = false;   // once the queue is empty
    bool is_closing_ = false;    // the closing handshake is running
    bool is_socket_open_ = true;
};

extern template class WebSocketSession<TcpWebSocket>;
extern template class WebSocketSession<TlsWebSocket>;

}  // namespace holdfast::net
