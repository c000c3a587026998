#include "net/http/client/client_exchange.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <utility>

#include "net/expect_no_exception.hpp"

namespace holdfast::net {

namespace asio = boost::asio;

ClientExchange::ClientExchange(std::unique_ptr<ClientResponse> response,
                               std::shared_ptr<HttpAnswerListener> listener)
    : response_(std::move(response)),
      listener_(std::move(listener)),
      finder_(response_->max_head_bytes()) {}

void ClientExchange::start() {
    known_bytes_ = response_->connection().unread().size();
    response_->connection().notify(shared_from_this());
}

void ClientExchange::cancel() {
    const auto self = shared_from_this();  // The connection may be the only owner.
    if (cancellation_) {
        cancellation_->emit(asio::cancellation_type::terminal);
    } else if (response_) {
        const bool may_have_arrived = response_->connection().may_have_sent();
        report(HttpClientError{.error = response_->failed({.code = NetErrc::cancelled,
                                                           .message = "the request was cancelled"}),
                               .may_have_arrived = may_have_arrived});
    }
}

void ClientExchange::on_news() {
    ClientConnection& connection = response_->connection();
    const bool is_answer = connection.unread().size() > known_bytes_ && connection.may_have_sent();
    if (!is_answer) {
        wait_in_coroutine();
        return;
    }
    auto taken = response_->try_take_head(finder_);
    if (!taken) {
        report(HttpClientError{.error = std::move(taken).error(), .may_have_arrived = true});
    } else if (*taken) {
        report(std::unique_ptr<HttpClientResponse>{std::move(response_)});
    } else {
        start();
    }
}

void ClientExchange::wait_in_coroutine() {
    cancellation_ = std::make_unique<asio::cancellation_signal>();
    // The handler holds the signal, because Asio uses its slot until the handler has run.
    asio::co_spawn(
        response_->loop().executor, run(shared_from_this()),
        asio::bind_cancellation_slot(cancellation_->slot(),
                                     [self = shared_from_this()](const std::exception_ptr& error) {
                                         expect_no_exception(error);
                                     }));
}

asio::awaitable<void> ClientExchange::run(std::shared_ptr<ClientExchange> self) {
    co_await asio::this_coro::throw_if_cancelled(false);
    self->report(co_await ClientResponse::answered(
        std::move(self->response_), resilience::Deadline::never(), self->known_bytes_));
}

void ClientExchange::report(HttpClientAnswer answer) {
    const auto listener = std::exchange(listener_, nullptr);
    listener->on_answer(std::move(answer));
}

}  // namespace holdfast::net
