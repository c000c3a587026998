#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "holdfast/resilience/timekeeper.hpp"
#include "net/buffer_budget.hpp"
#include "net/http/server/http_reply_head.hpp"
#include "net/http/server/http_request_head.hpp"
#include "net/http/server/input_buffer.hpp"
#include "net/http/server/output_queue.hpp"
#include "net/http/server/peer_shares.hpp"
#include "net/http/wire/chunk_decoder.hpp"
#include "net/http_server.hpp"
#include "net/reactor/polled_socket.hpp"

namespace holdfast::net {

class HttpConnection;
class HttpServerExchange;

/// What all connections of a server share.
///
/// Thread-safety: constant after construction except for the counts.
struct HttpServing {
    HttpServerOptions options;
    std::shared_ptr<HttpHandler> handler;
    std::shared_ptr<PeerShares> peers = std::make_shared<PeerShares>();
    std::atomic<std::size_t> connection_count{0};
};

/// What the connections on one loop share.
///
/// Thread-safety: none; belongs to its loop.
struct HttpLoop {
    OwningLoop loop;
    std::shared_ptr<HttpServing> serving;
    std::unordered_set<HttpConnection*> connections;
    std::string scratch;  // for heads: most are written before the next one is composed
    SpareBuffers spare_buffers{InputBuffer::kUsualBytes};
    std::vector<std::string> spare_answers;  // empty, with memory for answers of the usual size
    bool is_draining = false;
    bool is_over = false;  // the server has been destroyed: no more connections

    [[nodiscard]] std::string take_spare_answer();
    void give_back_answer(std::string answer);
};

/// One connection of a client, from its acceptance to its end. It reads requests, passes them on
/// one at a time, and writes their answers.
///
///     idle ──► head ──► body ──► answering ──► flushing ──► idle
///      └────────┴────────┴──── refused ───────────┘ └─────► lingering ──► closed
///
/// Its only timer is scheduled as long as the connection is open. It may fire earlier than needed,
/// and is then rescheduled: a request that is answered immediately does not touch the timer heap.
///
/// Its outstanding operations and the exchange that is being answered keep it alive.
///
/// Thread-safety: none; belongs to its loop.
class HttpConnection final : public std::enable_shared_from_this<HttpConnection>,
                             public SocketEvents,
                             public ConnectionPeer,
                             private resilience::Timer {
    struct Private {};

public:
    using Socket = boost::asio::ip::tcp::socket;

    /// Serves a socket that has been counted already.
    static void serve(std::shared_ptr<HttpLoop> loop, Socket socket, PeerShare share);
    /// Answers every request with 503.
    static void reject(std::shared_ptr<HttpLoop> loop, Socket socket, PeerShare share);

    HttpConnection(Private, std::shared_ptr<HttpLoop> loop, Socket socket, PeerShare share);
    ~HttpConnection() override;

    [[nodiscard]] std::optional<PeerUser> user() override;

    /// Closes it immediately.
    void close();
    /// Closes it after the answer; if it is idle, after a short time in which a request that is on
    /// its way is still answered.
    void drain();
    /// Whether the client has still to get something before the process may end.
    [[nodiscard]] bool is_unfinished() const;

    // For the exchange that is being answered.
    void reply(HttpReply reply);
    void start_stream(std::string_view headers);
    [[nodiscard]] bool send(std::string bytes, Importance importance);
    void finish_stream();
    /// The exchange is being destroyed.
    void forget_exchange();
    /// Returns the socket without outstanding operations, and ends the connection. Null if there
    /// are bytes after the request.
    [[nodiscard]] std::unique_ptr<Socket> take_socket();
    [[nodiscard]] const OwningLoop& loop() const noexcept { return loop_->loop; }
    [[nodiscard]] bool wants_websocket() const noexcept { return framing_.wants_websocket; }
    [[nodiscard]] const HttpServerOptions& options() const noexcept {
        return loop_->serving->options;
    }
    [[nodiscard]] HttpHandler& handler() const noexcept { return *loop_->serving->handler; }

private:
    enum class Phase : std::uint8_t {
        idle,
        head,
        body,
        answering,
        flushing,   // the answer is complete and not yet written
        lingering,  // everything is written; input is discarded until the client has read it
        closed,
    };

    void on_time() override;
    void on_abandoned() override;
    void set_deadline(resilience::TimePoint when);
    void set_deadline_in(resilience::Duration wait);
    /// Becomes idle now. While the loop drains the wait is shorter.
    void wait_for_request(resilience::Duration wait);

    std::span<char> read_buffer() override;
    void on_read(const boost::system::error_code& error, std::size_t size_bytes) override;
    void on_writable() override;

    void start_read();
    [[nodiscard]] std::size_t wanted_input_bytes() const;
    void process();
    void process_later();
    [[nodiscard]] bool take_head();
    [[nodiscard]] bool accept_head(std::size_t head_bytes);
    [[nodiscard]] bool is_accepted(const HttpRequest& request);
    [[nodiscard]] bool take_body();
    [[nodiscard]] bool take_counted_body(std::string& body);
    [[nodiscard]] bool take_chunked_body(std::string& body);
    void dispatch();
    void refuse(int status, std::string_view message);

    void answer(HttpReply reply, bool keeps_alive);
    void send_answer();
    void write(std::string_view head, std::string body, std::string_view tail);
    void write_more();
    void wait_for_writing();
    void on_answered();
    void on_flushed();
    void become_idle();
    void linger();
    void leave_loop();

    const std::shared_ptr<HttpLoop> loop_;
    const PeerShare share_;
    PolledSocket socket_;
    std::optional<std::optional<PeerUser>> user_;  // unset = not asked for yet
    InputBuffer input_{loop_->spare_buffers};
    std::string answer_;  // complete; written at the end of the turn
    OutputQueue output_;
    BufferShare answer_share_{loop_->loop.buffers};  // of a large answer, until it is written
    HttpHeadEnd head_end_;
    HttpFraming framing_;
    ChunkDecoder chunks_;
    std::shared_ptr<HttpServerExchange> incoming_;  // while its body is read
    // while it is answered; it reports its destruction
    HttpServerExchange* current_ = nullptr;
    std::size_t body_goal_bytes_ = 0;  // the size of the body at which its time begins again
    resilience::TimePoint deadline_;
    resilience::TimePoint idle_since_;
    resilience::TimePoint scheduled_for_;
    Phase phase_ = Phase::idle;
    bool keeps_alive_ = true;  // after the answer that is being written
    bool is_head_request_ = false;
    bool is_streaming_ = false;
    bool is_reading_ = false;
    bool is_writing_ = false;
    bool is_processing_ = false;
};

}  // namespace holdfast::net
