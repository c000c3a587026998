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
    if (self->session_ && !self->session_->try_enter(self->id_, self)) {
        self->port_->finish(jsonrpc::error_text(
            self->id_, {.code = jsonrpc::kInvalidRequest,
                        .message = "A request with this id is still being worked on, or too many "
                                   "are; use another id for each request."}));
        self->port_.reset();
        return;
    }
    self->in_flight_->fetch_add(1, std::memory_order_relaxed);
    const std::weak_ptr<BuiltinRequest> weak = self;
    self->port_->on_gone([weak] {
        if (const auto gone = weak.lock()) {
            gone->cancel();
        }
    });
    self->alive_ = self;
    self->loop_.timekeeper->schedule(self->limit_, self->loop_.timekeeper->now() + terms.limit);
    work({.agent = self->agent_,
          .session = self->session_,
          .arguments = std::move(terms.arguments),
          .loop = self->loop_,
          .finish = [self](std::string result) {
              net::run_on(self->loop_,
                          [self, result = std::move(result)] { self->finish(result); });
          }});
}

BuiltinRequest::BuiltinRequest(const agents::IncomingRequest& request,
                               std::shared_ptr<std::atomic<std::size_t>> in_flight)
    : id_(request.message.id),
      method_(request.message.method),
      agent_(request.agent),
      session_(request.session),
      loop_(request.loop),
      in_flight_(std::move(in_flight)),
      port_(request.port) {}

void BuiltinRequest::cancel() {
    net::run_on(loop_, [self = shared_from_this()] {
        if (self->port_) {
            self->port_->abandon();
            self->end();
        }
    });
}

void BuiltinRequest::finish(const std::string& result) {
    if (port_) {
        port_->finish(calls::builtin_result_text(
            {.id = id_, .method = method_, .era = agent_->era()}, result));
        end();
    }
}

void BuiltinRequest::give_up() {
    const calls::Failure failure{.code = calls::FailureCode::timeout,
                                 .message = "The gateway itself did not finish this in time.",
                                 .is_retryable = true};
    if (method_ == "tools/call") {
        finish(calls::tool_result_of(failure, true));
    } else if (port_) {
        port_->finish(jsonrpc::relayed_error_text(id_, calls::error_object_of(failure)));
        end();
    }
}

void BuiltinRequest::end() {
    const auto self = std::exchange(alive_, nullptr);
    port_.reset();
    loop_.timekeeper->cancel(limit_);
    in_flight_->fetch_sub(1, std::memory_order_relaxed);
    if (session_) {
        session_->leave(id_);
    }
}

}  // namespace holdfast::dispatch
