#include "dispatch/builtin_request.hpp"

#include <utility>

#include "calls/answer_text.hpp"
#include "calls/failure.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"
#include "net/run_on.hpp"

namespace holdfast::dispatch {

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
    work({.agent = self->request_.agent,
          .session = self->request_.session,
          .arguments = std::move(terms.arguments),
          .loop = self->request_.loop,
          .finish = [self](std::string result) {
              net::run_on(self->request_.loop,
                          [self, result = std::move(result)] { self->finish(result); });
          }});
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
    const calls::Failure failure{.code = calls::FailureCode::timeout,
                                 .message = "The gateway itself did not finish this in time.",
                                 .is_retryable = true};
    if (method_ == "tools/call") {
        finish(calls::tool_result_of(failure, true));
    } else if (request_.port) {
        request_.port->finish(
            jsonrpc::relayed_error_text(request_.id, calls::error_object_of(failure)));
        end();
    }
}

void BuiltinRequest::end() {
    const auto self = std::exchange(alive_, nullptr);
    request_.port.reset();
    request_.loop.timekeeper->cancel(limit_);
    in_flight_->fetch_sub(1, std::memory_order_relaxed);
    agents::leave(request_);
}

}  // namespace holdfast::dispatch
