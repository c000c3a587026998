#include "dispatch/builtin_request.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <utility>

#include "calls/answer_text.hpp"
#include "calls/failure.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"
#include "net/expect_no_exception.hpp"
#include "net/run_on.hpp"

namespace holdfast::dispatch {

namespace asio = boost::asio;

void BuiltinRequest::start(const agents::IncomingRequest& request, BuiltinRequestContext terms,
                           const surface::BuiltinWork& work) {
    const auto self = std::make_shared<BuiltinRequest>(request, std::move(terms.in_flight));
    if (!agents::try_enter(self->request_, self)) {
        self->request_.port.reset();
        return;
    }
    self->in_flight_->fetch_add(1, std::memory_order_relaxed);
    const std::weak_ptr<BuiltinRequest> weak = self;
    self->request_.port->on_gone([weak] {
        if (const auto gone = weak.lock()) {
            gone->cancel();
        }
    });
    self->alive_ = self;
    self->request_.loop.timekeeper->schedule(self->limit_,
                                             self->request_.loop.timekeeper->now() + terms.limit);
    auto result = work({.agent = self->request_.agent,
                        .session = self->request_.session,
                        .arguments = std::move(terms.arguments),
                        .loop = self->request_.loop});
    // The handler holds the request: Asio looks at the slot until the coroutine has ended.
    asio::co_spawn(self->request_.loop.executor, run(self, std::move(result)),
                   asio::bind_cancellation_slot(self->cancellation_.slot(),
                                                [self](const std::exception_ptr& error) {
                                                    net::expect_no_exception(error);
                                                }));
}

asio::awaitable<void> BuiltinRequest::run(std::shared_ptr<BuiltinRequest> self,
                                          asio::awaitable<surface::BuiltinResult> work) {
    // A cancelled wait returns that it was cancelled; it does not throw.
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto result = co_await std::move(work);
    if (result) {
        self->finish(*result);
    }
}

BuiltinRequest::BuiltinRequest(const agents::IncomingRequest& request,
                               std::shared_ptr<std::atomic<std::size_t>> in_flight)
    : request_(request.owned()),
      method_(request.message.method),
      in_flight_(std::move(in_flight)) {}

void BuiltinRequest::cancel() {
    net::run_on(request_.loop, [self = shared_from_this()] {
        if (self->request_.port) {
            self->request_.port->abandon();
            self->end();
            self->cancellation_.emit(asio::cancellation_type::terminal);
        }
    });
}

void BuiltinRequest::finish(const std::string& result) {
    if (request_.port) {
        request_.port->finish(calls::builtin_result_text(
            {.id = request_.id, .method = method_, .era = request_.agent->era()}, result));
        end();
    }
}

void BuiltinRequest::give_up() {
    const auto self = shared_from_this();
    const calls::Failure failure{.code = calls::FailureCode::timeout,
                                 .message = "The gateway itself did not finish this in time.",
                                 .is_retryable = true};
    if (method_ == "tools/call") {
        finish(calls::tool_result_of(failure));
    } else if (request_.port) {
        request_.port->finish(
            jsonrpc::relayed_error_text(request_.id, calls::error_object_of(failure)));
        end();
    }
    cancellation_.emit(asio::cancellation_type::terminal);
}

void BuiltinRequest::end() {
    const auto self = std::exchange(alive_, nullptr);
    request_.port.reset();
    request_.loop.timekeeper->cancel(limit_);
    in_flight_->fetch_sub(1, std::memory_order_relaxed);
    agents::leave(request_);
}

}  // namespace holdfast::dispatch
