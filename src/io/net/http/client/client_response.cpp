#include "net/http/client/client_response.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "net/buffer_budget.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;

// Limit of interim (1xx) answers.
constexpr std::size_t kMaxInterimAnswers = 8;
// Limit of the memory reserved for a length that the server announces.
constexpr std::size_t kMaxReservedBytes = std::size_t{1024} * 1024;

NetError too_large(std::size_t max_bytes) {
    return {.code = NetErrc::too_large,
            .message = "the body of the answer is over the limit of " + std::to_string(max_bytes) +
                       " bytes"};
}

NetError no_buffer_space() {
    return {.code = NetErrc::overloaded, .message = "the gateway is out of buffer space"};
}

// Not a timeout: the peer has closed, or did not wait for the request.
bool has_ended(const NetResult<bool>& more) {
    return more || more.error().code == NetErrc::closed;
}

}  // namespace

ClientResponse::ClientResponse(std::shared_ptr<ClientPool> pool,
                               std::shared_ptr<ClientConnection> connection, bool may_be_stale)
    : pool_(std::move(pool)),
      connection_(std::move(connection)),
      decoder_(BodyFraming{}),
      may_be_stale_(may_be_stale) {}

ClientResponse::~ClientResponse() {
    if (connection_) {
        connection_->close();
    }
}

asio::awaitable<HttpClientAnswer> ClientResponse::answered(std::unique_ptr<ClientResponse> self,
                                                           resilience::Deadline deadline,
                                                           std::optional<std::size_t> news_after) {
    // A cancelled coroutine returns an error instead of throwing.
    const bool threw_if_cancelled = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    HeadFinder finder{self->max_head_bytes()};
    NetResult<bool> taken = false;
    bool may_have_arrived = true;
    while (taken && !*taken) {
        // Inlines `receive_more`, to save a coroutine frame for every call.
        ClientConnection& connection = *self->connection_;
        const std::size_t known_bytes = news_after.value_or(connection.unread().size());
        std::optional<NetResult<bool>> more;
        if (std::exchange(news_after, std::nullopt)) {
            more = connection.received(known_bytes, resilience::WakeReason::signalled);
        }
        while (!more) {
            more = connection.received(known_bytes, co_await connection.wait_for_news(deadline));
        }
        may_have_arrived = connection.may_have_sent();
        if (!may_have_arrived && self->may_be_stale_ && has_ended(*more)) {
            taken = co_await self->sent_again(deadline);
        } else if (!*more) {
            taken = self->failed(std::move(*more).error());
        } else if (!may_have_arrived) {
            taken = self->hung_up();  // or sent something unrequested
        } else {
            taken = **more ? self->try_take_head(finder) : self->hung_up();
        }
    }
    co_await asio::this_coro::throw_if_cancelled(threw_if_cancelled);
    if (!taken) {
        co_return HttpClientError{.error = std::move(taken).error(),
                                  .may_have_arrived = may_have_arrived};
    }
    co_return std::unique_ptr<HttpClientResponse>{std::move(self)};
}

NetResult<bool> ClientResponse::try_take_head(HeadFinder& finder) {
    // Skips interim answers.
    while (!connection_->unread().empty()) {
        auto found = finder.find(connection_->unread());
        if (!found) {
            return failed(std::move(found).error());
        }
        if (!*found) {
            return false;
        }
        head_text_.assign(connection_->unread().substr(0, **found));
        connection_->consume(head_text_.size());
        auto parsed = parsed_response_head(head_text_);
        if (!parsed) {
            return failed(std::move(parsed).error());
        }
        head_ = *std::move(parsed);
        if (head_.status >= 200) {
            decoder_ = HttpBodyDecoder{head_.framing};
            if (decoder_.is_done()) {
                on_body_end();
            }
            return true;
        }
        if (head_.status == 101 || ++interim_count_ > kMaxInterimAnswers) {
            return failed({.code = NetErrc::bad_answer,
                           .message = "the server changes the protocol, or never answers"});
        }
        finder.restart();
    }
    return false;
}

asio::awaitable<NetResult<std::string>> ClientResponse::read_all(std::size_t max_bytes,
                                                                 resilience::Deadline deadline) {
    // A short body arrives with its head.
    if (auto body = body_at_hand(max_bytes)) {
        co_return *std::move(body);
    }
    const bool threw_if_cancelled = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto is_complete = co_await append_rest(max_bytes, deadline);
    co_await asio::this_coro::throw_if_cancelled(threw_if_cancelled);
    if (!is_complete) {
        co_return std::move(is_complete).error();
    }
    co_return taken_body();
}

std::optional<NetResult<std::string>> ClientResponse::body_at_hand(std::size_t max_bytes) {
    if (connection_ && head_.framing.length_bytes > max_bytes) {
        return failed(too_large(max_bytes));
    }
    if (body_.empty()) {
        body_share_ = BufferShare{pool_->loop().buffers};
        body_.reserve(std::min<std::size_t>(head_.framing.length_bytes, kMaxReservedBytes) +
                      HttpRequest::kBodyPadding);
    }
    auto is_complete = append_at_hand(max_bytes);
    if (!is_complete) {
        return std::move(is_complete).error();
    }
    return *is_complete ? std::optional<NetResult<std::string>>{taken_body()} : std::nullopt;
}

std::string ClientResponse::taken_body() {
    body_.reserve(body_.size() + HttpRequest::kBodyPadding);
    return std::move(body_);
}

// Returns true when the body has ended, false if more must be read.
NetResult<bool> ClientResponse::append_at_hand(std::size_t max_bytes) {
    while (true) {
        auto piece = piece_at_hand();
        if (!piece) {
            return std::move(piece).error();
        }
        if (piece->empty()) {
            return connection_ == nullptr;
        }
        if (piece->size() > max_bytes - body_.size()) {
            return failed(too_large(max_bytes));
        }
        body_ += *piece;
        if (!body_share_.try_resize(body_.size())) {
            return failed(no_buffer_space());
        }
    }
}

asio::awaitable<NetResult<bool>> ClientResponse::append_rest(std::size_t max_bytes,
                                                             resilience::Deadline deadline) {
    while (true) {
        auto piece = co_await next_piece(deadline);
        if (!piece) {
            co_return std::move(piece).error();
        }
        if (piece->size() > max_bytes - body_.size()) {
            co_return failed(too_large(max_bytes));
        }
        body_ += *piece;
        if (!body_share_.try_resize(body_.size())) {
            co_return failed(no_buffer_space());
        }
        auto is_complete = append_at_hand(max_bytes);
        if (!is_complete || *is_complete) {
            co_return is_complete;
        }
    }
}

asio::awaitable<NetResult<std::string_view>> ClientResponse::read_some(
    resilience::Deadline deadline) {
    const bool threw_if_cancelled = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto piece = co_await next_piece(deadline);
    co_await asio::this_coro::throw_if_cancelled(threw_if_cancelled);
    co_return piece;
}

asio::awaitable<NetResult<std::string_view>> ClientResponse::next_piece(
    resilience::Deadline deadline) {
    while (true) {
        auto piece = piece_at_hand();
        if (!piece || !piece->empty() || !connection_) {
            co_return piece;
        }
        auto more = co_await connection_->receive_more(deadline);
        if (!more) {
            co_return failed(std::move(more).error());
        }
        if (!*more && !decoder_.may_end_here()) {
            co_return failed({.code = NetErrc::closed,
                              .message = pool_->origin().authority +
                                         " closed the connection in the middle of its answer"});
        }
        if (!*more) {
            on_body_end();
            co_return std::string_view{};
        }
    }
}

NetResult<std::string_view> ClientResponse::piece_at_hand() {
    if (failure_) {
        return *failure_;
    }
    if (!connection_) {
        return std::string_view{};
    }
    auto step = decoder_.next(connection_->unread());
    if (!step) {
        return failed(std::move(step).error());
    }
    connection_->consume(step->consumed_bytes);
    // The connection stays here while the caller reads its bytes.
    if (step->body.empty() && decoder_.is_done()) {
        on_body_end();
    }
    return step->body;
}

void ClientResponse::on_body_end() {
    if (head_.keeps_alive) {
        pool_->put(std::move(connection_));
    } else {
        connection_->close();
    }
    connection_ = nullptr;
}

NetError ClientResponse::hung_up() {
    return failed(
        {.code = NetErrc::closed,
         .message = pool_->origin().authority + " closed the connection without an answer"});
}

NetError ClientResponse::failed(NetError error) {
    if (connection_) {
        connection_->close();
        connection_ = nullptr;
    }
    failure_ = error;
    return error;
}

}  // namespace holdfast::net
