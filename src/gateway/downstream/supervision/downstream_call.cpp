#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "downstream/supervision/downstream_core.hpp"

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

boost::asio::awaitable<CallResult> run_with_care(std::shared_ptr<DownstreamCore> core,
                                                 std::optional<LinkOutcome> found,
                                                 net::OwningLoop caller, Request request,
                                                 std::shared_ptr<CallListener> listener) {
    const LinkNeeds needs{.agent = request.agent,
                          .headers = request.agent_headers,
                          .deadline = request.deadline,
                          .wait = request.connection_wait};
    // Checked before each step, because Asio throws when a cancelled coroutine starts another
    // operation.
    const auto cancellation = co_await boost::asio::this_coro::cancellation_state;
    LinkOutcome outcome = found ? std::move(*found) : co_await link_from_home(core, caller, needs);
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
    LinkOutcome renewed = co_await link_from_home(core, caller, needs);
    if (!renewed || is_cancelled(cancellation)) {
        co_return renewed ? cancelled_fault() : renewed.error();
    }
    if (renewed.value().link == link) {
        // The session is alive, so the failure has another reason.
        co_return result;
    }
    co_return co_await run_on(std::move(renewed).value(), caller, std::move(request),
                              std::move(listener));
}

}  // namespace

boost::asio::awaitable<CallResult> DownstreamCore::call(net::OwningLoop caller, Request request,
                                                        std::shared_ptr<CallListener> listener) {
    calls_.fetch_add(1, std::memory_order_relaxed);
    auto found = link_at_once(caller, request.agent.get(), request.connection_wait);
    if (found && *found && is_plain(found->value())) {
        // The path of nearly all calls, which needs no coroutine frame of its own.
        return found->value().link->call(std::move(caller), std::move(request),
                                         std::move(listener));
    }
    return run_with_care(shared_from_this(), std::move(found), std::move(caller),
                         std::move(request), std::move(listener));
}

}  // namespace holdfast::downstream
