#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <memory>
#include <utility>

#include "dispatch/request_dispatcher.hpp"
#include "dispatch/request_params.hpp"
#include "dispatch/unknown_tool.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "net/expect_no_exception.hpp"

// Calls of tools that no server lists: they wait for servers that are still starting.

namespace holdfast::dispatch {

namespace asio = boost::asio;

void RequestDispatcher::call_unlisted(
    const agents::IncomingRequest& request, std::string_view name,
    const std::shared_ptr<const surface::Surface>& surface) const {
    const auto servers = gateway_->servers();
    const auto target =
        target_of(name, *servers, gateway_->options().catalogue.catalogue.prefixing);
    surface::StartupBarrier& barrier = gateway_->startup_barrier();
    if (target && barrier.is_starting(target->server->name)) {
        const resilience::TimePoint now = request.loop.timekeeper->now();
        const auto rules = target->server->guard->rules_for_tool(target->own_name, now);
        const resilience::Duration timeout =
            policy::for_call(rules->policy(), overrides_of(request)).timeout;
        if (request.waited < timeout) {
            call_when_listed(request, target->server->name, timeout - request.waited);
            return;
        }
    } else if (!barrier.is_over()) {
        call_tool_later(request);
        return;
    }
    if (target && may_be_hidden(name, *target, *surface, gateway_->options().surface,
                                request.loop.timekeeper->now())) {
        call_hidden(request, name, {.surface = surface, .server = target->server},
                    target->own_name);
        return;
    }
    refuse_unknown_tool(request, name, *surface, *gateway_);
}

void RequestDispatcher::call_hidden(const agents::IncomingRequest& request, std::string_view name,
                                    calls::CallPlan plan, std::string_view own_name) const {
    /// The plan refers to the tool, which is on no surface.
    struct HiddenTool {
        std::shared_ptr<const surface::Surface> surface = {};
        std::shared_ptr<const std::vector<surface::Server>> servers = {};
        surface::Callable callable = {};
    };
    const auto hidden = std::make_shared<const HiddenTool>(
        HiddenTool{.surface = plan.surface,
                   .servers = gateway_->servers(),
                   .callable = {.server = plan.server,
                                .own_name = std::string{own_name},
                                .exposed_name = std::string{name}}});
    plan.surface = std::shared_ptr<const surface::Surface>{hidden, hidden->surface.get()};
    plan.request =
        relayed_request(request.message,
                        {.key = "name", .text = hidden->callable.own_name, .adds_arguments = true});
    plan.request.agent_headers = request.agent_headers;
    plan.route = "to the only server that can have it";
    plan.retarget(hidden->callable,
                  plan.server->guard->rules_for_tool(own_name, request.loop.timekeeper->now()));
    start(request, std::move(plan));
}

void RequestDispatcher::call_tool_later(const agents::IncomingRequest& request) const {
    const auto deferred = std::make_shared<DeferredRequest>(request);
    if (!agents::try_enter(deferred->from(), deferred)) {
        return;
    }
    gateway_->startup_barrier().when_over(
        request.loop, [dispatcher = *this, deferred] { dispatcher.run_deferred(*deferred, {}); });
}

void RequestDispatcher::call_when_listed(const agents::IncomingRequest& request,
                                         const std::string& server,
                                         resilience::Duration limit) const {
    const auto deferred = std::make_shared<DeferredRequest>(request);
    if (!agents::try_enter(deferred->from(), deferred)) {
        return;
    }
    request.port->on_gone([weak = std::weak_ptr{deferred}] {
        if (const auto gone = weak.lock()) {
            gone->cancel();
        }
    });
    const auto listed = std::make_shared<resilience::OneShot>(*request.loop.timekeeper);
    gateway_->startup_barrier().when_heard(server, request.loop, [weak = std::weak_ptr{listed}] {
        if (const auto waiting = weak.lock()) {
            waiting->signal();
        }
    });
    asio::co_spawn(request.loop.executor, run_when_listed(gateway_, deferred, listed, limit),
                   net::expect_no_exception);
}

asio::awaitable<void> RequestDispatcher::run_when_listed(
    std::weak_ptr<Gateway> gateway, std::shared_ptr<DeferredRequest> deferred,
    std::shared_ptr<resilience::OneShot> listed, resilience::Duration limit) {
    resilience::Timekeeper& timekeeper = *deferred->from().loop.timekeeper;
    const resilience::TimePoint start = timekeeper.now();
    std::ignore = co_await listed->wait_until(resilience::saturating_add(start, limit));
    if (auto alive = gateway.lock()) {
        const resilience::Duration waited = resilience::elapsed_between(start, timekeeper.now());
        RequestDispatcher{std::move(alive)}.run_deferred(*deferred, deferred->waited() + waited);
    }
}

void RequestDispatcher::run_deferred(DeferredRequest& deferred, resilience::Duration waited) const {
    if (deferred.is_cancelled()) {
        return;
    }
    const auto call = [&] {
        if (const auto message = jsonrpc::thread_reader().read(deferred.text())) {
            call_tool(deferred.begun(*message, waited));
        }
    };
    // The call enters the session with the same id.
    if (const auto& session = deferred.from().session) {
        session->hand_over(deferred.from().id, call);
    } else {
        call();
    }
}

}  // namespace holdfast::dispatch
