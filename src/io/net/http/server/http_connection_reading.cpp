// Reading: turns bytes into requests and passes them on.
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "net/http/server/http_connection.hpp"
#include "net/http/server/http_server_exchange.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using resilience::TimePoint;

// Read size for a body that is larger than the usual buffer.
constexpr std::size_t kBodyReadBytes = std::size_t{64} * 1024;

// Initial size of a body: an announced length must not cost much memory.
constexpr std::size_t kFirstBodyBytes = std::size_t{64} * 1024;

// Reserves memory for `added_bytes` more of a body that will have `total_bytes` and its padding.
void reserve_body(std::string& body, std::size_t added_bytes, std::uint64_t total_bytes) {
    const std::size_t needed = body.size() + added_bytes + HttpRequest::kBodyPadding;
    if (needed <= body.capacity()) {
        return;
    }
    const auto whole = static_cast<std::size_t>(total_bytes) + HttpRequest::kBodyPadding;
    const std::size_t grown = std::max({needed, body.capacity() * 2, kFirstBodyBytes});
    body.reserve(std::min(grown, std::max(whole, needed)));
}

}  // namespace

// Returns the maximum input of the phase. While an answer is pending, that limits what a client may
// send ahead.
std::size_t HttpConnection::wanted_input_bytes() const {
    const std::size_t held = input_.view().size();
    if (phase_ == Phase::head && held >= InputBuffer::kUsualBytes) {
        return std::min(held * 2, options().max_header_bytes + InputBuffer::kUsualBytes);
    }
    const bool is_large = framing_.is_chunked || framing_.content_length > InputBuffer::kUsualBytes;
    return phase_ == Phase::body && is_large ? kBodyReadBytes : InputBuffer::kUsualBytes;
}

void HttpConnection::start_read() {
    const bool may_be_taken_over =
        phase_ == Phase::answering && framing_.wants_websocket && !is_streaming_;
    if (is_reading_ || phase_ == Phase::closed || may_be_taken_over) {
        return;
    }
    if (input_.view().size() >= wanted_input_bytes()) {
        return;
    }
    is_reading_ = true;
    socket_.start_read(shared_from_this());
}

std::span<char> HttpConnection::read_buffer() {
    // The limit may have shrunk since the read was started: then one more byte is enough.
    return input_.prepare(std::max(wanted_input_bytes(), input_.view().size() + 1));
}

void HttpConnection::on_read(const boost::system::error_code& error, std::size_t size_bytes) {
    is_reading_ = false;
    if (phase_ == Phase::closed) {
        return;
    }
    if (error) {
        // This includes a half-close: a client that sends no more does not wait either.
        close();
        return;
    }
    input_.commit(size_bytes);
    if (phase_ == Phase::lingering) {
        input_.clear();
    }
    process();
    input_.release_if_empty();
    start_read();
}

void HttpConnection::process_later() {
    asio::post(loop_->loop.executor, [self = shared_from_this()] {
        self->process();
        self->start_read();
    });
}

void HttpConnection::process() {
    is_processing_ = true;
    while (phase_ == Phase::idle || phase_ == Phase::head || phase_ == Phase::body) {
        if (phase_ != Phase::body && !take_head()) {
            break;
        }
        if (phase_ == Phase::body) {
            if (!take_body()) {
                break;
            }
            dispatch();
        }
    }
    is_processing_ = false;
}

// Returns true if there may be more to do.
bool HttpConnection::take_head() {
    // Some clients send an extra line end after a body.
    while (input_.view().starts_with("\r\n")) {
        input_.consume(2);
        head_end_.reset();
    }
    const std::string_view bytes = input_.view();
    if (bytes.empty()) {
        if (phase_ == Phase::head) {
            phase_ = Phase::idle;  // line ends alone do not restart the time
            if (loop_->is_draining) {
                const TimePoint now = loop_->loop.timekeeper->now();
                set_deadline(std::min(deadline_,
                                      resilience::saturating_add(now, options().drain_idle_wait)));
            }
        }
        return false;
    }
    const auto head_bytes = head_end_.find(bytes);
    if (head_bytes.value_or(bytes.size()) > options().max_header_bytes) {
        refuse(431, "the head of the request is too long; send fewer or shorter headers");
        return false;
    }
    if (head_bytes) {
        head_end_.reset();
        return accept_head(*head_bytes);
    }
    if (phase_ == Phase::idle) {
        phase_ = Phase::head;
        const TimePoint now = loop_->loop.timekeeper->now();
        set_deadline(std::min(deadline_, resilience::saturating_add(now, options().head_wait)));
    }
    return false;
}

bool HttpConnection::accept_head(std::size_t head_bytes) {
    incoming_ = std::make_shared<HttpServerExchange>(input_.view().substr(0, head_bytes));
    input_.consume(head_bytes);
    HttpRequest& request = incoming_->incoming_request();
    request.peer = this;
    auto framing = parse_request_head(incoming_->head(), request);
    is_head_request_ = request.method == "HEAD";
    if (!framing) {
        refuse(framing.error().status, framing.error().message);
        return false;
    }
    framing_ = *framing;
    if (framing_.content_length > options().max_body_bytes) {
        refuse(413, "the body of the request is too large; send less at a time");
        return false;
    }
    if (!is_accepted(request)) {
        return phase_ != Phase::closed;
    }
    phase_ = Phase::body;
    incoming_->body_share() = BufferShare{loop_->loop.buffers};
    if (framing_.is_chunked) {
        chunks_ = ChunkDecoder{options().max_body_bytes};
    }
    const bool is_body_here =
        !framing_.is_chunked && framing_.content_length <= input_.view().size();
    if (is_body_here) {
        return true;
    }
    body_goal_bytes_ = options().body_progress_bytes;
    set_deadline_in(options().body_wait);
    if (framing_.expects_continue && !framing_.is_version_1_0 && input_.is_empty()) {
        write("HTTP/1.1 100 Continue\r\n\r\n", {}, {});
    }
    return true;
}

bool HttpConnection::is_accepted(const HttpRequest& request) {
    auto refusal = handler().refused(request);
    if (!refusal) {
        return true;
    }
    refusal->headers += handler().reply_headers(request);
    incoming_.reset();
    // A body that has arrived can be skipped; otherwise it would have to be read first.
    const bool is_body_here =
        !framing_.is_chunked && framing_.content_length <= input_.view().size();
    if (is_body_here) {
        input_.consume(static_cast<std::size_t>(framing_.content_length));
    }
    answer(std::move(*refusal), framing_.keeps_alive && is_body_here);
    return false;
}

bool HttpConnection::take_body() {
    std::string& body = incoming_->incoming_request().body;
    const bool is_complete =
        framing_.is_chunked ? take_chunked_body(body) : take_counted_body(body);
    if (phase_ != Phase::body) {
        return false;  // refused
    }
    if (!incoming_->body_share().try_resize(body.size())) {
        refuse(503, "the gateway is out of buffer space; try again later");
        return false;
    }
    if (!is_complete && body.size() >= body_goal_bytes_) {
        body_goal_bytes_ = body.size() + options().body_progress_bytes;
        set_deadline_in(options().body_wait);
    }
    return is_complete;
}

bool HttpConnection::take_counted_body(std::string& body) {
    const std::uint64_t missing = framing_.content_length - body.size();
    const std::string_view bytes = input_.view();
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(missing, bytes.size()));
    if (count > 0) {
        reserve_body(body, count, framing_.content_length);
        body.append(bytes.substr(0, count));
        input_.consume(count);
    }
    return count == missing;
}

bool HttpConnection::take_chunked_body(std::string& body) {
    const ChunkDecoder::Step step = chunks_.feed(input_.view(), body);
    input_.consume(step.consumed_bytes);
    switch (step.progress) {
        case ChunkDecoder::Progress::needs_bytes:
            return false;
        case ChunkDecoder::Progress::complete:
            body.reserve(body.size() + HttpRequest::kBodyPadding);
            return true;
        case ChunkDecoder::Progress::malformed:
            refuse(400, "the chunked body is malformed");
            return false;
        case ChunkDecoder::Progress::too_large:
            refuse(413, "the body of the request is too large; send less at a time");
            return false;
    }
    return false;
}

void HttpConnection::dispatch() {
    phase_ = Phase::answering;
    set_deadline(TimePoint::max());
    const auto exchange = std::exchange(incoming_, nullptr);
    if (framing_.wants_websocket && std::exchange(is_reading_, false)) {
        // Started during the answer before this request. A handler that takes the socket over needs
        // it without an outstanding read.
        socket_.stop_read();
    }
    current_ = exchange.get();
    exchange->open(shared_from_this());
    handler().on_request(exchange);
}

void HttpConnection::refuse(int status, std::string_view message) {
    HttpReply refusal = make_refusal(status, message);
    if (incoming_) {
        refusal.headers = handler().reply_headers(incoming_->request());
        incoming_.reset();
    }
    answer(std::move(refusal), false);
}

}  // namespace holdfast::net
