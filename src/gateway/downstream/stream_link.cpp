#include "downstream/stream_link.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <tuple>
#include <utility>

#include "downstream/stream/stream_call.hpp"
#include "downstream/stream/stream_core.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using resilience::Delivery;
using resilience::WakeReason;

CallFault stopping_fault() {
    return {.kind = CallFault::Kind::stopping,
            .message = "The connection to the server is being closed.",
            .delivery = Delivery::sent};
}

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

/// Removes the call from the link when the coroutine that waits for it is destroyed.
class CallWatch final {
public:
    CallWatch(std::shared_ptr<StreamCore> core, std::shared_ptr<StreamCall> call)
        : core_(std::move(core)), call_(std::move(call)) {}
    CallWatch(const CallWatch&) = delete;
    CallWatch& operator=(const CallWatch&) = delete;
    ~CallWatch() {
        call_->is_over = true;
        // A coroutine of another loop is destroyed only when that loop ends, and the home loop may
        // have ended before it.
        if (!call_->is_remote) {
            core_->forget(*call_);
        }
    }

private:
    std::shared_ptr<StreamCore> core_;
    std::shared_ptr<StreamCall> call_;
};

void begin(const std::shared_ptr<StreamCore>& core, const std::shared_ptr<StreamCall>& call) {
    if (call->is_remote) {
        asio::post(core->home().executor, [core, call] { core->begin(call); });
    } else {
        core->begin(call);
    }
}

void abandon(const std::shared_ptr<StreamCore>& core, const std::shared_ptr<StreamCall>& call,
             WakeReason why) {
    const std::string_view reason =
        why == WakeReason::time ? "The deadline has passed." : "Nobody waits for the answer.";
    call->is_over = true;
    if (call->is_remote) {
        asio::post(core->home().executor, [core, call, reason] { core->abandon(*call, reason); });
    } else {
        core->abandon(*call, reason);
    }
}

asio::awaitable<CallResult> run(std::shared_ptr<StreamCore> core,
                                std::shared_ptr<StreamCall> call) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
        co_return unanswered(WakeReason::cancelled, Delivery::not_sent);
    }
    const CallWatch watch{core, call};
    begin(core, call);
    WakeReason reason = WakeReason::signalled;
    if (!call->result) {
        reason = co_await call->done.wait_until(call->request.deadline.when());
    }
    if (call->result) {
        co_return std::move(*call->result);
    }
    abandon(core, call, reason);
    co_return unanswered(reason, Delivery::sent);
}

asio::awaitable<void> close_politely(std::shared_ptr<StreamCore> core, CallFault why) {
    core->set_quiet();
    // For calls in flight, which may learn of it from the reader before the channel is closed.
    why.delivery = Delivery::sent;
    core->stop_admitting(why);
    if (net::MessageChannel* channel = core->outlet().channel()) {
        co_await channel->close();
    }
    core->end(why);
}

}  // namespace

StreamLink::StreamLink(const net::OwningLoop& home, std::unique_ptr<net::MessageChannel> channel,
                       StreamLinkOptions options)
    : core_(std::make_shared<StreamCore>(home, std::move(channel), std::move(options))) {
    core_->start();
}

StreamLink::~StreamLink() {
    core_->end(stopping_fault());
}

asio::awaitable<CallResult> StreamLink::shake_hands(const Composer& composer,
                                                    resilience::Deadline deadline, JunkRule junk) {
    auto call =
        std::make_shared<StreamCall>(core_->home(), Request{.deadline = deadline}, nullptr, false);
    call->id = core_->outlet().next_id();
    call->prepared_text = composer(std::to_string(call->id));
    call->handshake_junk = junk;
    return run(core_, std::move(call));
}

void StreamLink::serve(Negotiated negotiated, std::weak_ptr<LinkListener> listener) {
    core_->serve(std::move(negotiated), std::move(listener));
}

const Negotiated& StreamLink::negotiated() const {
    return core_->negotiated();
}

asio::awaitable<CallResult> StreamLink::call(net::OwningLoop caller, Request request,
                                             std::shared_ptr<CallListener> listener) {
    const bool is_remote = caller.executor != core_->home().executor;
    return run(core_, std::make_shared<StreamCall>(std::move(caller), std::move(request),
                                                   std::move(listener), is_remote));
}

void StreamLink::notify(std::string_view method, std::string params) {
    // By contract, failures are not reported.
    std::ignore = core_->outlet().try_write(jsonrpc::notification_text(method, params));
}

void StreamLink::set_interests(Interests interests) {
    core_->set_interests(std::move(interests));
}

asio::awaitable<void> StreamLink::close(CallFault why) {
    return close_politely(core_, std::move(why));
}

bool StreamLink::has_answered() const {
    return core_->has_answered();
}

std::optional<LinkProcess> StreamLink::process() const {
    return core_->process();
}

std::vector<std::string> StreamLink::last_log_lines(std::size_t count) const {
    return core_->last_log_lines(count);
}

const StreamLinkCounters& StreamLink::counters() const noexcept {
    return core_->counters();
}

}  // namespace holdfast::downstream
