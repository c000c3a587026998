// Writing: answers and streams.
#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <charconv>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "net/http/server/http_connection.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using resilience::TimePoint;

// Up to this size a body is copied after its head: one buffer costs the system less than two.
constexpr std::size_t kCopiedBodyBytes = std::size_t{4} * 1024;
// A stream above this multiple of its limit belongs to a client that does not read at all.
constexpr std::size_t kCutOffFactor = 4;

// A few answers wait for the end of a turn at a time.
constexpr std::size_t kMaxSpareAnswers = 64;
constexpr std::size_t kMaxSpareAnswerBytes = std::size_t{8} * 1024;

}  // namespace

std::string HttpLoop::take_spare_answer() {
    if (spare_answers.empty()) {
        return {};
    }
    std::string answer = std::move(spare_answers.back());
    spare_answers.pop_back();
    return answer;
}

void HttpLoop::give_back_answer(std::string answer) {
    if (spare_answers.size() < kMaxSpareAnswers && answer.capacity() <= kMaxSpareAnswerBytes) {
        answer.clear();
        spare_answers.push_back(std::move(answer));
    }
}

void HttpConnection::reply(HttpReply reply) {
    HOLDFAST_EXPECT(phase_ == Phase::answering);
    current_ = nullptr;
    answer(std::move(reply), framing_.keeps_alive);
}

void HttpConnection::answer(HttpReply reply, bool keeps_alive) {
    keeps_alive_ = keeps_alive && !loop_->is_draining;
    const HttpPersistence persistence = !keeps_alive_             ? HttpPersistence::closes
                                        : framing_.is_version_1_0 ? HttpPersistence::announced
                                                                  : HttpPersistence::implied;
    std::string& head = loop_->scratch;
    head.clear();
    append_reply_head(head, reply, persistence);
    if (is_head_request_ || !may_have_body(reply.status)) {
        reply.body.clear();
    }
    if (reply.body.size() <= kCopiedBodyBytes) {
        head += reply.body;
        reply.body.clear();
    }
    const bool is_short = reply.body.empty();
    if (is_short && phase_ == Phase::answering && output_.is_empty()) {
        is_streaming_ = false;
        phase_ = Phase::flushing;
        answer_ = loop_->take_spare_answer();
        answer_ = head;
        socket_.write_at_turn_end(shared_from_this());
        return;
    }
    // An answer that exists is not refused: it would be lost, with the work behind it.
    answer_share_.resize(reply.body.size());
    write(head, std::move(reply.body), {});
    on_answered();
}

void HttpConnection::send_answer() {
    std::string bytes = std::exchange(answer_, {});
    write(bytes, {}, {});
    loop_->give_back_answer(std::move(bytes));
    on_answered();
}

void HttpConnection::start_stream(std::string_view headers) {
    HOLDFAST_EXPECT(phase_ == Phase::answering);
    is_streaming_ = true;
    keeps_alive_ = framing_.keeps_alive && !framing_.is_version_1_0 && !loop_->is_draining;
    std::string& head = loop_->scratch;
    head.clear();
    append_stream_head(head, headers,
                       {.is_chunked = !framing_.is_version_1_0, .closes = !keeps_alive_});
    write(head, {}, {});
    start_read();
}

bool HttpConnection::send(std::string bytes, Importance importance) {
    const std::size_t limit = options().max_stream_bytes;
    const std::size_t waiting = output_.size_bytes();
    if (importance == Importance::droppable && waiting > 0 && waiting + bytes.size() > limit) {
        return false;
    }
    // Not for the size of this event: a large answer after a small one belongs to no slow client.
    if (waiting > limit * kCutOffFactor) {
        close();
        return false;
    }
    if (bytes.empty() || is_head_request_) {
        return true;
    }
    if (framing_.is_version_1_0) {
        write({}, std::move(bytes), {});
        return phase_ != Phase::closed;
    }
    std::array<char, 20> size_line{};
    char* end =
        std::to_chars(size_line.data(), size_line.data() + size_line.size(), bytes.size(), 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    write({size_line.data(), end}, std::move(bytes), "\r\n");
    return phase_ != Phase::closed;
}

void HttpConnection::finish_stream() {
    current_ = nullptr;
    if (!framing_.is_version_1_0 && !is_head_request_) {
        write("0\r\n\r\n", {}, {});
    }
    on_answered();
}

std::unique_ptr<HttpConnection::Socket> HttpConnection::take_socket() {
    HOLDFAST_EXPECT(!is_reading_);
    HOLDFAST_EXPECT(!is_writing_);
    current_ = nullptr;
    if (!input_.is_empty()) {
        close();
        return nullptr;
    }
    leave_loop();
    return std::make_unique<Socket>(socket_.to_asio());
}

// Writes as much as the system accepts in one call, and queues the rest.
void HttpConnection::write(std::string_view head, std::string body, std::string_view tail) {
    if (phase_ == Phase::closed) {
        return;
    }
    std::size_t written = 0;
    if (output_.is_empty()) {
        const bool is_one = body.empty() && tail.empty();
        boost::system::error_code error;
        written = is_one
                      ? socket_.write_some(head, error)
                      : socket_.write_some(std::array{head, std::string_view{body}, tail}, error);
        if (error && error != asio::error::would_block) {
            close();
            return;
        }
    }
    if (written == head.size() + body.size() + tail.size()) {
        return;
    }
    const auto left_of = [&written](std::string_view part) {
        const std::size_t done = std::min(written, part.size());
        written -= done;
        return done;
    };
    const std::size_t head_done = left_of(head);
    const std::size_t body_done = left_of(body);
    output_.push(std::string{head.substr(head_done)});
    output_.push(std::move(body), body_done);
    output_.push(std::string{tail.substr(left_of(tail))});
    wait_for_writing();
}

void HttpConnection::wait_for_writing() {
    if (is_writing_) {
        return;
    }
    is_writing_ = true;
    set_deadline_in(options().write_wait);
    socket_.wait_for_writing(shared_from_this());
}

void HttpConnection::on_writable() {
    if (!answer_.empty()) {
        send_answer();
        return;
    }
    is_writing_ = false;
    if (phase_ != Phase::closed) {
        write_more();
    }
}

void HttpConnection::write_more() {
    while (!output_.is_empty()) {
        boost::system::error_code error;
        const std::size_t offered = output_.front().size();
        const std::size_t written = socket_.write_some(output_.front(), error);
        if (error && error != asio::error::would_block) {
            close();
            return;
        }
        output_.consume(written);
        if (written < offered) {
            wait_for_writing();
            return;
        }
    }
    on_flushed();
}

void HttpConnection::on_answered() {
    is_streaming_ = false;
    if (phase_ == Phase::closed) {
        return;
    }
    phase_ = Phase::flushing;
    if (output_.is_empty()) {
        on_flushed();
    } else {
        set_deadline_in(options().write_wait);
    }
}

void HttpConnection::on_flushed() {
    answer_share_.resize(0);
    if (phase_ == Phase::body) {
        set_deadline_in(options().body_wait);  // the client was asked to continue
    } else if (phase_ == Phase::answering) {
        set_deadline(TimePoint::max());
    } else if (keeps_alive_) {
        become_idle();
    } else {
        linger();
    }
}

void HttpConnection::become_idle() {
    phase_ = Phase::idle;
    framing_ = {};  // a refusal of the next request must not depend on this one
    is_head_request_ = false;
    wait_for_request(options().idle_wait);
    if (is_processing_) {
        return;
    }
    // Not directly: the answer may come from within the handler of another request.
    if (!input_.is_empty()) {
        process_later();
    } else {
        start_read();
    }
}

// Closing with unread bytes would reset the connection, and the client could lose the answer.
void HttpConnection::linger() {
    phase_ = Phase::lingering;
    boost::system::error_code error;
    socket_.end_writing(error);
    if (error) {
        close();
        return;
    }
    set_deadline_in(options().linger_wait);
    if (!is_reading_) {
        input_.clear();
    }
    start_read();
}

}  // namespace holdfast::net
