// The life of a connection and its deadlines. Reading and writing are in
// http_connection_reading.cpp and http_connection_writing.cpp.
#include "net/http/server/http_connection.hpp"

#include <utility>

#include "net/http/server/http_server_exchange.hpp"
#include "net/reactor/peer_lookup.hpp"

namespace holdfast::net {

namespace {

namespace asio = boost::asio;
using resilience::TimePoint;

HttpConnection::Socket made_ready(HttpConnection::Socket socket) {
    boost::system::error_code ignored;
    // Both work on any open TCP socket; if the peer has closed, reading will show it.
    std::ignore = socket.non_blocking(true, ignored);
    std::ignore = socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    return socket;
}

}  // namespace

void HttpConnection::serve(std::shared_ptr<HttpLoop> loop, Socket socket, PeerShare share) {
    const auto self = std::make_shared<HttpConnection>(Private{}, std::move(loop),
                                                       std::move(socket), std::move(share));
    self->wait_for_request(self->options().first_wait);
    self->start_read();
}

void HttpConnection::reject(std::shared_ptr<HttpLoop> loop, Socket socket, PeerShare share) {
    const auto self = std::make_shared<HttpConnection>(Private{}, std::move(loop),
                                                       std::move(socket), std::move(share));
    self->refuse(503, "the gateway has as many connections as it takes; try again later");
}

HttpConnection::HttpConnection(Private, std::shared_ptr<HttpLoop> loop, Socket socket,
                               PeerShare share)
    : loop_(std::move(loop)), share_(std::move(share)), socket_(made_ready(std::move(socket))) {
    loop_->connections.insert(this);
}

HttpConnection::~HttpConnection() {
    if (phase_ != Phase::closed) {
        leave_loop();
    }
}

void HttpConnection::leave_loop() {
    phase_ = Phase::closed;
    if (is_scheduled()) {
        loop_->loop.timekeeper->cancel(*this);
    }
    loop_->connections.erase(this);
    loop_->serving->connection_count.fetch_sub(1, std::memory_order_relaxed);
}

void HttpConnection::close() {
    if (phase_ == Phase::closed) {
        return;
    }
    if (!answer_.empty()) {
        // The answer was given in this turn; closing right after it must not discard it.
        boost::system::error_code ignored;
        std::ignore = socket_.write_some(std::exchange(answer_, {}), ignored);
    }
    leave_loop();
    socket_.close();
    output_.clear();
    incoming_.reset();
    if (current_ != nullptr) {
        std::exchange(current_, nullptr)->on_client_gone();
    }
}

void HttpConnection::drain() {
    if (phase_ == Phase::idle) {
        set_deadline(resilience::saturating_add(idle_since_, options().drain_idle_wait));
    }
    // All others notice that the loop is draining when their answer is composed.
    keeps_alive_ = false;
}

std::optional<PeerUser> HttpConnection::user() {
    if (!user_) {
        user_ = peer_user_of(socket_.native_handle());
    }
    return *user_;
}

void HttpConnection::wait_for_request(resilience::Duration wait) {
    idle_since_ = loop_->loop.timekeeper->now();
    set_deadline(resilience::saturating_add(idle_since_,
                                            loop_->is_draining ? options().drain_idle_wait : wait));
}

bool HttpConnection::is_unfinished() const {
    switch (phase_) {
        case Phase::idle:
        case Phase::head:
        case Phase::body:
        case Phase::flushing:
            return true;
        case Phase::answering:
            // What a stream waits for is known to those who send it.
            return !is_streaming_ || !output_.is_empty();
        case Phase::lingering:
            return !socket_.is_flushed();
        case Phase::closed:
            return false;
    }
    return false;
}

void HttpConnection::forget_exchange() {
    current_ = nullptr;
}

void HttpConnection::set_deadline(TimePoint when) {
    deadline_ = when;
    if (!is_scheduled() || when < scheduled_for_) {
        scheduled_for_ = when;
        loop_->loop.timekeeper->schedule(*this, when);
    }
}

void HttpConnection::set_deadline_in(resilience::Duration wait) {
    set_deadline(resilience::saturating_add(loop_->loop.timekeeper->now(), wait));
}

void HttpConnection::on_time() {
    const auto self = shared_from_this();
    if (loop_->loop.timekeeper->now() < deadline_) {
        set_deadline(deadline_);
        return;
    }
    if (phase_ == Phase::idle && socket_.has_input()) {
        set_deadline_in(options().head_wait);  // a request has just arrived
    } else if (phase_ == Phase::head || phase_ == Phase::body) {
        refuse(408, "the request took too long to arrive; send it faster");
    } else {
        close();
    }
}

void HttpConnection::on_abandoned() {
    // The loop is being destroyed: nothing may be started or reported any more.
    leave_loop();
    if (current_ != nullptr) {
        std::exchange(current_, nullptr)->on_loop_gone();
    }
}

}  // namespace holdfast::net
