#include "net/http/client/client_connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "net/http/client/http_request_text.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using resilience::WakeReason;

constexpr std::size_t kBulkBufferBytes = std::size_t{128} * 1024;
// Up to this size a body is copied after its head: both then share TLS records, or one plain write
// of one buffer, which costs the system less than a write of two.
constexpr std::size_t kCopiedBodyBytes = std::size_t{64} * 1024;
constexpr std::size_t kCopiedPlainBodyBytes = std::size_t{4} * 1024;

NetError given_up(WakeReason reason) {
    if (reason == WakeReason::cancelled) {
        return {.code = NetErrc::cancelled, .message = "the request was cancelled"};
    }
    return {.code = NetErrc::timed_out, .message = "the server did not answer in time"};
}

}  // namespace

ClientConnection::ClientConnection(const OwningLoop& loop, asio::ip::tcp::socket socket,
                                   ConnectionSlot slot, std::shared_ptr<SpareBuffers> spare)
    : loop_(loop),
      socket_(std::move(socket)),
      slot_(std::move(slot)),
      news_(*loop.timekeeper),
      spare_(std::move(spare)),
      input_(*spare_),
      read_size_bytes_(kBufferBytes) {}

asio::awaitable<NetResult<void>> ClientConnection::secure(TlsContext context, std::string host,
                                                          resilience::Deadline deadline) {
    tls_ = std::make_unique<TlsStream>(socket_.to_asio(), std::move(context), std::move(host));
    tls_->start_handshake(shared_from_this());
    while (!handshake_) {
        const WakeReason reason = co_await news_.wait_until(deadline.when());
        if (reason != WakeReason::signalled) {
            close();
            co_return given_up(reason);
        }
    }
    if (*handshake_) {
        NetError failure = tls_->failure(*handshake_);
        close();
        co_return failure;
    }
    co_return NetResult<void>{};
}

void ClientConnection::on_handshake(const Error& error) {
    handshake_ = error;
    news_.signal();
}

void ClientConnection::start_request(HttpClientRequest request, std::string_view authority) {
    write_request_head(outgoing_head_, request, authority);
    is_writing_ = true;
    written_bytes_ = 0;
    if (tls_) {
        start_secure_write(std::move(request.body));
        return;
    }
    if (request.body.size() <= kCopiedPlainBodyBytes) {
        outgoing_head_ += request.body;
    } else {
        outgoing_body_ = std::move(request.body);
    }
    socket_.write_at_turn_end(shared_from_this());
}

void ClientConnection::start_request_of(ClientConnection& other) {
    is_writing_ = true;
    written_bytes_ = 0;
    outgoing_head_ = std::move(other.outgoing_head_);
    outgoing_body_ = std::move(other.outgoing_body_);
    socket_.write_at_turn_end(shared_from_this());
}

void ClientConnection::on_writable() {
    if (!socket_.is_open()) {
        return;
    }
    const std::size_t head_bytes = std::min(written_bytes_, outgoing_head_.size());
    const std::array rest{std::string_view{outgoing_head_}.substr(head_bytes),
                          std::string_view{outgoing_body_}.substr(written_bytes_ - head_bytes)};
    Error error;
    written_bytes_ += outgoing_body_.empty() ? socket_.write_some(rest.front(), error)
                                             : socket_.write_some(rest, error);
    if (error && error != asio::error::would_block) {
        on_written(error);
    } else if (written_bytes_ == outgoing_head_.size() + outgoing_body_.size()) {
        on_written({});
    } else {
        socket_.wait_for_writing(shared_from_this());
    }
}

void ClientConnection::start_secure_write(std::string body) {
    if (body.size() <= kCopiedBodyBytes) {
        outgoing_head_ += body;
    } else {
        // Moves the longer part and inserts the head before it.
        body.insert(0, outgoing_head_);
        outgoing_head_ = std::move(body);
    }
    tls_->start_write(asio::buffer(outgoing_head_), shared_from_this());
}

void ClientConnection::on_written(const Error& error) {
    // After a failure the reader finds out what happened to the connection: there may be an answer.
    is_writing_ = error.failed();
    if (!error) {
        outgoing_body_ = {};
    }
}

asio::awaitable<NetResult<bool>> ClientConnection::receive_more(resilience::Deadline deadline) {
    const auto self = shared_from_this();
    const std::size_t known_bytes = unread().size();
    std::optional<NetResult<bool>> more;
    while (!more) {
        more = received(known_bytes, co_await wait_for_news(deadline));
    }
    co_return *std::move(more);
}

asio::awaitable<WakeReason> ClientConnection::wait_for_news(resilience::Deadline deadline) {
    if (read_error_) {
        news_.signal();
    } else if (!is_reading_) {
        start_read();
    }
    return news_.wait_until(deadline.when());
}

void ClientConnection::notify(std::shared_ptr<NewsListener> listener) {
    HOLDFAST_EXPECT(!tls_);
    HOLDFAST_EXPECT(!read_error_);
    listener_ = std::move(listener);
    if (!is_reading_) {
        start_read();
    }
}

std::optional<NetResult<bool>> ClientConnection::received(std::size_t known_bytes,
                                                          WakeReason reason) {
    if (unread().size() > known_bytes) {
        return true;
    }
    if (reason != WakeReason::signalled) {
        close();
        return given_up(reason);
    }
    if (!read_error_) {
        return std::nullopt;
    }
    const Error error = *read_error_;
    close();
    if (error == asio::error::eof) {
        return false;
    }
    return NetError{.code = NetErrc::closed,
                    .message = "the connection was lost: " + error.message()};
}

std::span<char> ClientConnection::read_buffer() {
    return input_.prepare(std::max(read_size_bytes_, input_.view().size() + 1));
}

void ClientConnection::start_read() {
    is_reading_ = true;
    if (tls_) {
        const std::span<char> space = read_buffer();
        tls_->start_read(asio::buffer(space.data(), space.size()), shared_from_this());
    } else {
        socket_.start_read(shared_from_this());
    }
}

void ClientConnection::on_read(const Error& error, std::size_t size_bytes) {
    is_reading_ = false;
    input_.commit(size_bytes);
    if (input_.is_full()) {
        read_size_bytes_ = kBulkBufferBytes;
    }
    if (error) {
        read_error_ = error;
    }
    if (idle_owner_ != nullptr) {
        // The server closed the connection, or sent something unrequested.
        std::exchange(idle_owner_, nullptr)->on_idle_end(*this);
        return;
    }
    if (const auto listener = std::exchange(listener_, nullptr)) {
        listener->on_news();
        return;
    }
    news_.signal_and_resume();
}

bool ClientConnection::is_clean() const noexcept {
    return input_.is_empty() && !is_writing_ && !is_reading_ && !read_error_ &&
           (tls_ ? tls_->is_open() : socket_.is_open());
}

void ClientConnection::start_idling(IdleOwner& owner, resilience::TimePoint now) {
    idle_owner_ = &owner;
    idle_since_ = now;
    read_size_bytes_ = kBufferBytes;
    input_.clear();
    input_.release_if_empty();
    if (outgoing_head_.capacity() > kBufferBytes) {
        outgoing_head_ = {};
    }
    start_read();
}

void ClientConnection::close() {
    idle_owner_ = nullptr;
    if (!read_error_) {
        read_error_ = asio::error::operation_aborted;
    }
    if (tls_) {
        tls_->close();
    }
    socket_.close();
    slot_.give_back();
    news_.signal();
    // Last, because its release may destroy this connection.
    const auto released = std::exchange(listener_, nullptr);
}

}  // namespace holdfast::net
