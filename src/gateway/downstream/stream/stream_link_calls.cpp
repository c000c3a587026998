#include "downstream/stream/stream_link.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <tuple>
#include <utility>

#include "downstream/stream/stream_call.hpp"
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

void StreamLink::begin_at_home(const std::shared_ptr<StreamCall>& call) {
    if (call->is_remote) {
        asio::post(home_.executor, [self = shared_from_this(), call] { self->begin(call); });
    } else {
        begin(call);
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

asio::awaitable<CallResult> StreamLink::run(std::shared_ptr<StreamLink> self,
                                            std::shared_ptr<StreamCall> call) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
        co_return unanswered(WakeReason::cancelled, Delivery::not_sent);
    }
    const CallWatch watch{self, call};
    self->begin_at_home(call);
    WakeReason reason = WakeReason::signalled;
    if (!call->result) {
        reason = co_await call->done.wait_until(call->request.deadline.when());
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
    auto call = std::make_shared<StreamCall>(home_, Request{.deadline = deadline}, nullptr, false);
    call->id = outlet_.next_id();
    call->prepared_text = composer(std::to_string(call->id));
    call->handshake_junk = junk;
    return run(shared_from_this(), std::move(call));
}

asio::awaitable<CallResult> StreamLink::call(net::OwningLoop caller, Request request,
                                             std::shared_ptr<CallListener> listener) {
    const bool is_remote = caller.executor != home_.executor;
    return run(shared_from_this(),
               std::make_shared<StreamCall>(std::move(caller), std::move(request),
                                            std::move(listener), is_remote));
}

void StreamLink::notify(std::string_view method, std::string params) {
    // By contract, failures are not reported.
    std::ignore = outlet_.try_write(jsonrpc::notification_text(method, params));
}

asio::awaitable<void> StreamLink::close(CallFault why) {
    return close_politely(shared_from_this(), std::move(why));
}

}  // namespace holdfast::downstream
