#include "downstream/stream/stream_link.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <tuple>
#include <utility>

#include "downstream/stream/stream_call.hpp"
#include "downstream/wire_text.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using resilience::Delivery;
using resilience::WakeReason;

CallFault unanswered(WakeReason reason, Delivery delivery) {
    if (reason == WakeReason::time) {
        return {.kind = CallFault::Kind::timed_out,
                .message = "The server did not answer in time.",
                .delivery = delivery};
    }
    return {.kind = CallFault::Kind::cancelled,
            .message = "The call was cancelled.",
            .delivery = delivery};
}

}  // namespace

/// Removes the call from the link when the coroutine that waits for it is destroyed.
class StreamLink::CallWatch final {
public:
    CallWatch(std::shared_ptr<StreamLink> link, std::shared_ptr<StreamCall> call)
        : link_(std::move(link)), call_(std::move(call)) {}
    CallWatch(const CallWatch&) = delete;
    CallWatch& operator=(const CallWatch&) = delete;
    ~CallWatch() {
        call_->is_over = true;
        // A coroutine of another loop is destroyed only when that loop ends, and the home loop may
        // have ended before it.
        if (!call_->is_remote) {
            link_->calls_.remove(call_->id);
        }
    }

private:
    std::shared_ptr<StreamLink> link_;
    std::shared_ptr<StreamCall> call_;
};

void StreamLink::begin_at_home(const std::shared_ptr<StreamCall>& call, const Request& request) {
    if (call->is_remote) {
        asio::post(home_.executor, [self = shared_from_this(), life = life_.lock(), call, request] {
            self->begin(call, request);
        });
    } else {
        begin(call, request);
    }
}

void StreamLink::begin(const std::shared_ptr<StreamCall>& call, const Request& request) {
    auto refusal = send(*call, request);
    if (refusal) {
        settle_later(call, std::move(*refusal));
        return;
    }
    calls_.add(call);
}

std::optional<CallFault> StreamLink::send(StreamCall& call, const Request& request) {
    if (refusal_) {
        CallFault fault = *refusal_;
        fault.delivery = Delivery::not_sent;
        return fault;
    }
    if (calls_.size() >= options_.link.max_calls) {
        return CallFault{.kind = CallFault::Kind::overloaded,
                         .message = "Too many calls are in flight to this server."};
    }
    if (call.traits.deadline.is_expired(home_.timekeeper->now())) {
        return CallFault{.kind = CallFault::Kind::timed_out,
                         .message = "The deadline had passed before the call could be sent."};
    }
    if (!call.handshake_text.empty()) {
        const auto written = outlet_.try_write(call.handshake_text);
        // The reader reports the end of the peer with a better message.
        const bool is_reported_later =
            !written && written.error().code == net::NetErrc::closed && outlet_.channel();
        return written || is_reported_later ? std::nullopt
                                            : std::optional{refused_write(written.error())};
    }
    call.id = outlet_.next_id();
    const std::string id = std::to_string(call.id);
    const std::string_view token = request.wants_progress ? id : std::string_view{};
    const auto written =
        outlet_.try_write(dressed_request(request, {.id = id,
                                                    .progress_token = token,
                                                    .revision = negotiated_.revision,
                                                    .client_info = options_.link.client_info}));
    return written ? std::nullopt : std::optional{refused_write(written.error())};
}

void StreamLink::abandon(StreamCall& call, std::string_view reason) {
    const bool is_in_flight = calls_.end(call.id, home_.timekeeper->now());
    if (is_in_flight && call.handshake_text.empty()) {
        // If the slots for urgent messages are full too, the late answer will just be dropped.
        std::ignore = outlet_.try_write_urgent(cancelled_text(std::to_string(call.id), reason));
    }
}

void StreamLink::abandon_at_home(const std::shared_ptr<StreamCall>& call, WakeReason why) {
    const std::string_view reason =
        why == WakeReason::time ? "The deadline has passed." : "Nobody waits for the answer.";
    call->is_over = true;
    if (call->is_remote) {
        asio::post(home_.executor,
                   [self = shared_from_this(), call, reason] { self->abandon(*call, reason); });
    } else {
        abandon(*call, reason);
    }
}

void StreamCall::cancel() {
    if (is_over) {
        return;
    }
    is_over = true;
    const auto self = shared_from_this();
    if (const auto open = link.lock()) {
        open->abandon_at_home(self, WakeReason::cancelled);
    }
    asio::post(caller.executor, [self] {
        self->observer->on_result(unanswered(WakeReason::cancelled, Delivery::sent));
    });
}

asio::awaitable<CallResult> StreamLink::run(std::shared_ptr<StreamLink> self,
                                            std::shared_ptr<StreamCall> call, Request request) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
        co_return unanswered(WakeReason::cancelled, Delivery::not_sent);
    }
    const CallWatch watch{self, call};
    self->begin_at_home(call, request);
    WakeReason reason = WakeReason::signalled;
    if (!call->result) {
        reason = co_await call->done.wait_until(call->traits.deadline.when());
    }
    if (call->result) {
        co_return std::move(*call->result);
    }
    self->abandon_at_home(call, reason);
    co_return unanswered(reason, Delivery::sent);
}

asio::awaitable<void> StreamLink::close_politely(std::shared_ptr<StreamLink> self, CallFault why) {
    self->is_quiet_ = true;
    // For calls in flight, which may learn of it from the reader before the channel is closed.
    why.delivery = Delivery::sent;
    self->refusal_ = why;
    if (net::MessageChannel* channel = self->outlet_.channel()) {
        co_await channel->close();
    }
    self->end(why);
}

asio::awaitable<CallResult> StreamLink::shake_hands(const Composer& composer,
                                                    resilience::Deadline deadline, JunkRule junk) {
    Request request{.deadline = deadline};
    auto call = std::make_shared<StreamCall>(home_, request, nullptr, false);
    call->id = outlet_.next_id();
    call->handshake_text = composer(std::to_string(call->id));
    call->handshake_junk = junk;
    return run(shared_from_this(), std::move(call), std::move(request));
}

asio::awaitable<CallResult> StreamLink::call(net::OwningLoop caller, Request request,
                                             std::shared_ptr<CallListener> listener) {
    const bool is_remote = caller.executor != home_.executor;
    auto call =
        std::make_shared<StreamCall>(std::move(caller), request, std::move(listener), is_remote);
    return run(shared_from_this(), std::move(call), std::move(request));
}

std::shared_ptr<StartedCall> StreamLink::try_start(const net::OwningLoop& caller,
                                                   const Request& request,
                                                   const std::shared_ptr<CallObserver>& observer) {
    const bool is_remote = caller.executor != home_.executor;
    auto call = std::make_shared<StreamCall>(caller, request, observer, is_remote);
    call->observer = observer.get();
    call->link = weak_from_this();
    begin_at_home(call, request);
    return call;
}

void StreamLink::notify(std::string_view method, std::string params) {
    // By contract, failures are not reported.
    std::ignore = outlet_.try_write(jsonrpc::notification_text(method, params));
}

asio::awaitable<void> StreamLink::close(CallFault why) {
    return close_politely(shared_from_this(), std::move(why));
}

}  // namespace holdfast::downstream
