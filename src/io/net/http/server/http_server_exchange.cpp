#include "net/http/server/http_server_exchange.hpp"

#include <boost/asio/post.hpp>
#include <cstring>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "net/websocket/websocket_accept.hpp"

namespace holdfast::net {

HttpServerExchange::HttpServerExchange(std::string_view head)
    : head_(std::make_unique_for_overwrite<char[]>(head.size())), head_bytes_(head.size()) {
    std::memcpy(head_.get(), head.data(), head.size());
}

HttpServerExchange::~HttpServerExchange() {
    listener_ = nullptr;
    if (is_gone_ || !connection_) {
        return;
    }
    if (state_ == State::waiting) {
        reply(make_refusal(500, "the request was dropped without an answer; try again"));
    } else if (state_ == State::streaming) {
        // Without the end marker, so that the client sees that the stream is incomplete.
        state_ = State::over;
        connection_->forget_exchange();
        connection_->close();
    }
}

void HttpServerExchange::open(std::shared_ptr<HttpConnection> connection) {
    connection_ = std::move(connection);
    wants_websocket_ = connection_->wants_websocket();
    state_ = State::waiting;
}

void HttpServerExchange::on_client_gone() {
    is_gone_ = true;
    tell_gone_later();
}

void HttpServerExchange::on_loop_gone() {
    is_gone_ = true;
    listener_ = nullptr;
}

void HttpServerExchange::reply(HttpReply reply) {
    HOLDFAST_EXPECT(state_ == State::waiting);
    end();
    if (!is_gone_) {
        reply.headers += connection_->handler().reply_headers(request_);
        connection_->reply(std::move(reply));
    }
}

void HttpServerExchange::start_stream(std::string_view headers) {
    HOLDFAST_EXPECT(state_ == State::waiting);
    state_ = State::streaming;
    if (!is_gone_) {
        std::string lines{headers};
        lines += connection_->handler().reply_headers(request_);
        connection_->start_stream(lines);
    }
}

bool HttpServerExchange::send(std::string bytes, Importance importance) {
    HOLDFAST_EXPECT(state_ == State::streaming);
    return !is_gone_ && connection_->send(std::move(bytes), importance);
}

void HttpServerExchange::finish_stream() {
    HOLDFAST_EXPECT(state_ == State::streaming);
    end();
    if (!is_gone_) {
        connection_->finish_stream();
    }
}

void HttpServerExchange::on_gone(std::function<void()> listener) {
    listener_ = std::move(listener);
    if (is_gone_) {
        tell_gone_later();
    }
}

boost::asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>>
HttpServerExchange::accept_websocket(WebSocketTerms terms) {
    HOLDFAST_EXPECT(state_ == State::waiting);
    HOLDFAST_EXPECT(wants_websocket_);
    end();
    if (terms.max_message_bytes == 0) {
        terms.max_message_bytes = connection_->options().max_message_bytes;
    }
    if (!terms.loop.executor) {
        terms.loop = loop();
    }
    const auto socket = is_gone_ ? nullptr : connection_->take_socket();
    return net::accept_websocket(websocket_offer(request_, socket.get()), std::move(terms));
}

void HttpServerExchange::tell_gone_later() {
    if (!listener_ || state_ == State::over) {
        return;
    }
    boost::asio::post(loop().executor, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && self->listener_) {
            std::exchange(self->listener_, nullptr)();
        }
    });
}

void HttpServerExchange::end() {
    state_ = State::over;
    listener_ = nullptr;
}

}  // namespace holdfast::net
