#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "agents/log_level.hpp"
#include "dispatch/gateway.hpp"
#include "guard/safeguards.hpp"
#include "net/run_on.hpp"

// The part of `Gateway` for config reloads.

namespace holdfast::dispatch {
namespace {

bool has(const std::vector<surface::Server>& servers, const downstream::Downstream* downstream) {
    return std::ranges::any_of(servers, [downstream](const surface::Server& server) {
        return server.downstream.get() == downstream;
    });
}

}  // namespace

void Gateway::change(GatewayChange change) {
    for (surface::Server& server : change.servers) {
        if (!server.guard) {
            server.guard = guard::built_in_guard(server.name);
        }
    }
    const auto before = servers();
    const auto after =
        std::make_shared<const std::vector<surface::Server>>(std::move(change.servers));
    calls_->secrets->replace(change.secrets, home_.timekeeper->now());
    share({.surface = context_.latest()->surface,
           .agent_headers =
               std::make_shared<const std::vector<std::string>>(std::move(change.agent_headers))});
    for (const surface::Server& server : *after) {
        // Before a call can reach it: calls of its tools wait for its start.
        if (!has(*before, server.downstream.get())) {
            startup_barrier_.expect_more(server.name);
        }
    }
    servers_.with([&after](auto& servers) { servers = after; });
    publisher_->set_servers(after);
    for (const surface::Server& server : *before) {
        if (has(*after, server.downstream.get())) {
            continue;
        }
        if (std::ranges::find(*after, server.name, &surface::Server::name) == after->end()) {
            on_settled(server.name);
        }
        begin_leaving(server);
    }
    for (const surface::Server& server : *after) {
        if (is_started_ && !has(*before, server.downstream.get())) {
            net::run_on(server.home, [downstream = server.downstream] { downstream->start(); });
        }
    }
    introduce_agents();
}

void Gateway::begin_leaving(const surface::Server& server) {
    instructions_.with([&server](auto& by_server) { by_server.erase(server.name); });
    leaving_.push_back(server);
    const std::weak_ptr<Gateway> weak = weak_from_this();
    boost::asio::co_spawn(
        server.home.executor, server.downstream->stop(),
        [weak, home = home_, gone = server.downstream](const std::exception_ptr& /*error*/) {
            net::run_on(home, [weak, gone] {
                if (const auto self = weak.lock()) {
                    std::erase_if(self->leaving_, [&gone](const surface::Server& one) {
                        return one.downstream == gone;
                    });
                }
            });
        });
}

// New downstreams do not know the preferences of the current agents yet.
void Gateway::introduce_agents() const {
    for (const auto& session : sessions_.all()) {
        if (const auto level = agents::log_level_named(session->log_level())) {
            on_log_level(session->key(), *level);
        }
        if (const auto uris = session->subscriptions(); !uris.empty()) {
            on_subscriptions(session->key(), uris);
        }
    }
    for (const auto& listen : listens()) {
        if (!listen->filter().uris.empty()) {
            subscribe_for_listens(listen->agent_key());
        }
    }
}

}  // namespace holdfast::dispatch
