#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "downstream/supervision/downstream_core.hpp"
#include "downstream/supervision/spawned_call.hpp"

// One call: finds its link, and sends it once more if its session had ended.

namespace holdfast::downstream {
namespace {

/// Whether the request may have met an ended session, and therefore was surely not processed.
bool may_have_met_old_session(const CallFault& fault) noexcept {
    const bool is_lost = fault.kind == CallFault::Kind::connection_lost ||
                         fault.kind == CallFault::Kind::not_connected;
    return is_lost && fault.delivery == resilience::Delivery::not_sent;
}

bool is_cancelled(const boost::asio::cancellation_state& state) noexcept {
    return state.cancelled() != boost::asio::cancellation_type::none;
}

CallFault cancelled_fault() {
    return {.kind = CallFault::Kind::cancelled, .message = "The call was cancelled."};
}

/// What a call needs to get a link.
struct LinkNeeds {
    std::shared_ptr<const AgentIdentity> agent = {};
    std::shared_ptr<const AgentHeaders> headers = {};
    resilience::Deadline deadline = resilience::Deadline::never();
    ConnectionWait wait = ConnectionWait::first_try;
};

LinkNeeds needs_of(const Request& request) {
    return {.agent = request.agent,
            .headers = request.agent_headers,
            .deadline = request.deadline,
            .wait = request.connection_wait};
}

/// Asks the home loop, which has processed all link events so far.
boost::asio::awaitable<LinkOutcome> link_from_home(std::shared_ptr<DownstreamCore> core,
                                                   net::OwningLoop caller, LinkNeeds needs) {
    const auto* const clock = caller.timekeeper;
    const auto waiter =
        std::make_shared<LinkWaiter>(std::move(caller), std::move(needs.headers), needs.wait);
    boost::asio::post(core->home().executor,
                      [core, agent = std::move(needs.agent), weak = std::weak_ptr{waiter}] {
                          if (const auto waiting = weak.lock()) {
                              core->join(agent, waiting);
                          }
                      });
    LinkOutcome outcome = co_await waiter->wait(needs.deadline);
    const bool was_in_vain = !outcome && (outcome.error().kind == CallFault::Kind::timed_out ||
                                          outcome.error().kind == CallFault::Kind::cancelled);
    if (was_in_vain) {
        if (auto fault = core->fault_of_wait(clock->now())) {
            co_return std::move(*fault);
        }
    }
    co_return outcome;
}

boost::asio::awaitable<CallResult> run_on(LinkGrant grant, net::OwningLoop caller, Request request,
                                          std::shared_ptr<CallListener> listener) {
    CallResult result = co_await grant.link->call(caller, std::move(request), std::move(listener));
    if (grant.use) {
        grant.use->end(caller.timekeeper->now());
    }
    co_return result;
}

/// Whether a call on the link has nothing to release and nothing to retry.
bool is_plain(const LinkGrant& grant) {
    return !grant.link->negotiated().has_session_id && !grant.use;
}

// The server knew nothing of the session: the request goes to the session that follows it, if there
// is one.
boost::asio::awaitable<CallResult> renewed(std::shared_ptr<DownstreamCore> core,
                                           net::OwningLoop caller, Request request,
                                           std::shared_ptr<CallListener> listener,
                                           std::shared_ptr<Link> ended, CallResult result) {
    const auto cancellation = co_await boost::asio::this_coro::cancellation_state;
    LinkOutcome outcome = co_await link_from_home(core, caller, needs_of(request));
    if (!outcome || is_cancelled(cancellation)) {
        co_return outcome ? cancelled_fault() : outcome.error();
    }
    if (outcome.value().link == ended) {
        // The session is alive, so the failure has another reason.
        co_return result;
    }
    co_return co_await run_on(std::move(outcome).value(), caller, std::move(request),
                              std::move(listener));
}

boost::asio::awaitable<CallResult> run_with_care(std::shared_ptr<DownstreamCore> core,
                                                 std::optional<LinkOutcome> found,
                                                 net::OwningLoop caller, Request request,
                                                 std::shared_ptr<CallListener> listener) {
    // Checked before each step, because Asio throws when a cancelled coroutine starts another
    // operation.
    const auto cancellation = co_await boost::asio::this_coro::cancellation_state;
    LinkOutcome outcome =
        found ? std::move(*found) : co_await link_from_home(core, caller, needs_of(request));
    if (!outcome || is_cancelled(cancellation)) {
        co_return outcome ? cancelled_fault() : outcome.error();
    }
    const auto link = outcome.value().link;
    if (is_plain(outcome.value())) {
        co_return co_await link->call(caller, std::move(request), std::move(listener));
    }
    if (!link->negotiated().has_session_id) {
        co_return co_await run_on(std::move(outcome).value(), caller, std::move(request),
                                  std::move(listener));
    }
    CallResult result = co_await run_on(std::move(outcome).value(), caller, request, listener);
    if (result || !may_have_met_old_session(result.error()) || is_cancelled(cancellation)) {
        co_return result;
    }
    co_return co_await renewed(std::move(core), std::move(caller), std::move(request),
                               std::move(listener), link, std::move(result));
}

/// A request on a link with a session, which is sent once more if the session had ended. Stands
/// between the link and the observer.
class SessionCall final : public StartedCall,
                          public CallObserver,
                          public std::enable_shared_from_this<SessionCall> {
public:
    SessionCall(std::shared_ptr<DownstreamCore> core, std::shared_ptr<Link> link,
                const net::OwningLoop& caller, const Request& request,
                std::shared_ptr<CallObserver> observer)
        : core_(std::move(core)),
          link_(std::move(link)),
          caller_(caller),
          request_(request),
          observer_(std::move(observer)) {}

    /// Returns false, and does nothing, if the link needs a coroutine.
    [[nodiscard]] bool try_start() {
        const auto started = link_->try_start(caller_, request_, shared_from_this());
        started_ = started;
        return started != nullptr;  // It may have ended already, on another loop.
    }

    void cancel() override {
        is_cancelled_ = true;
        if (const auto started = started_.lock()) {
            started->cancel();
        }
    }

    void on_notification(Notification notification) override {
        observer_->on_notification(std::move(notification));
    }
    void on_question(Question question) override { observer_->on_question(std::move(question)); }
    void on_result(CallResult result) override {
        if (result || is_cancelled_ || !may_have_met_old_session(result.error())) {
            observer_->on_result(std::move(result));
            return;
        }
        // The observer's pointer keeps this alive too, so that the request can be cancelled.
        started_ = spawn_call(caller_,
                              renewed(std::move(core_), caller_, std::move(request_), observer_,
                                      std::move(link_), std::move(result)),
                              {shared_from_this(), observer_.get()});
    }

private:
    std::shared_ptr<DownstreamCore> core_;
    std::shared_ptr<Link> link_;
    const net::OwningLoop caller_;
    Request request_;
    const std::shared_ptr<CallObserver> observer_;
    std::weak_ptr<StartedCall> started_;
    bool is_cancelled_ = false;
};

}  // namespace

boost::asio::awaitable<CallResult> DownstreamCore::call(net::OwningLoop caller, Request request,
                                                        std::shared_ptr<CallListener> listener) {
    calls_.fetch_add(1, std::memory_order_relaxed);
    auto found = link_at_once(caller, request.agent.get(), request.connection_wait);
    return call_on(std::move(found), std::move(caller), std::move(request), std::move(listener));
}

boost::asio::awaitable<CallResult> DownstreamCore::call_on(std::optional<LinkOutcome> found,
                                                           net::OwningLoop caller, Request request,
                                                           std::shared_ptr<CallListener> listener) {
    if (found && *found && is_plain(found->value())) {
        // Needs no coroutine frame of its own.
        return found->value().link->call(std::move(caller), std::move(request),
                                         std::move(listener));
    }
    return run_with_care(shared_from_this(), std::move(found), std::move(caller),
                         std::move(request), std::move(listener));
}

// The path of nearly all calls: a link is there, and it needs no coroutine.
std::weak_ptr<StartedCall> DownstreamCore::start_call(
    const net::OwningLoop& caller, const Request& request,
    const std::shared_ptr<CallObserver>& observer) {
    calls_.fetch_add(1, std::memory_order_relaxed);
    auto found = link_at_once(caller, request.agent.get(), request.connection_wait);
    if (found && *found && !found->value().use && request.deadline.is_never()) {
        const std::shared_ptr<Link>& link = found->value().link;
        if (!link->negotiated().has_session_id) {
            if (const auto started = link->try_start(caller, request, observer)) {
                return started;
            }
        } else {
            const auto started =
                std::make_shared<SessionCall>(shared_from_this(), link, caller, request, observer);
            if (started->try_start()) {
                return started;
            }
        }
    }
    return spawn_call(caller, call_on(std::move(found), caller, request, observer), observer);
}

}  // namespace holdfast::downstream
