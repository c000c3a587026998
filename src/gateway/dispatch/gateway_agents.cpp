#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "agents/log_level.hpp"
#include "calls/input_round.hpp"
#include "dispatch/gateway.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"
#include "net/run_on.hpp"

// The part of `Gateway` for sessions and listens: the preferences of agents, and the notifications
// of servers to them.

namespace holdfast::dispatch {
namespace {

using downstream::Notification;
using downstream::Question;

struct ListNotice {
    std::string_view method;
    downstream::ListKind kind;
};

constexpr std::array<ListNotice, 3> kListNotices{{
    {"notifications/tools/list_changed", downstream::ListKind::tools},
    {"notifications/prompts/list_changed", downstream::ListKind::prompts},
    {"notifications/resources/list_changed", downstream::ListKind::resources},
}};

std::string uri_in(const std::string& params) {
    for (const auto& [key, value] : calls::members_of(params)) {
        if (key == "uri" && value.starts_with('"')) {
            return jsonrpc::decoded(value);
        }
    }
    return {};
}

}  // namespace

void Gateway::tell_changed(const surface::ChangedLists& changed) {
    for (const ListNotice& notice : kListNotices) {
        const bool is_resources = notice.kind == downstream::ListKind::resources;
        const bool templates = changed[static_cast<std::size_t>(downstream::ListKind::templates)];
        if (!changed[static_cast<std::size_t>(notice.kind)] && !(is_resources && templates)) {
            continue;
        }
        const std::string message = jsonrpc::notification_text(notice.method, {});
        for (const auto& session : sessions_.all()) {
            if (session->agent() != nullptr) {
                session->tell(message);
            }
        }
        for (const auto& listen : listens()) {
            listen->on_list_changed(notice.kind);
        }
    }
}

bool Gateway::try_add(const std::shared_ptr<Listen>& listen) {
    const bool has_room = listens_.with([&](auto& listens) {
        if (listens.size() >= options_.max_listens) {
            return false;
        }
        listens.push_back(listen);
        return true;
    });
    if (has_room && !listen->filter().uris.empty()) {
        subscribe_for_listens(listen->agent_key());
    }
    return has_room;
}

// Several listens of one agent are one subscriber for the downstreams.
void Gateway::subscribe_for_listens(const std::string& agent_key) const {
    std::vector<std::string> uris;
    for (const auto& listen : listens()) {
        if (listen->agent_key() == agent_key) {
            uris.insert(uris.end(), listen->filter().uris.begin(), listen->filter().uris.end());
        }
    }
    on_subscriptions(agent_key, uris);
}

void Gateway::remove(const Listen& listen) {
    std::shared_ptr<Listen> removed;
    listens_.with([&](auto& listens) {
        const auto found = std::ranges::find(listens, &listen, &std::shared_ptr<Listen>::get);
        if (found != listens.end()) {
            removed = std::move(*found);
            listens.erase(found);
        }
    });
    if (removed && !removed->filter().uris.empty()) {
        subscribe_for_listens(removed->agent_key());
    }
}

std::vector<std::shared_ptr<Listen>> Gateway::listens() const {
    return listens_.with([](const auto& listens) { return listens; });
}

void Gateway::on_subscriptions(const std::string& agent_key,
                               const std::vector<std::string>& uris) const {
    const auto surface = this->surface();
    const auto servers = this->servers();
    for (const surface::Server& server : *servers) {
        std::vector<std::string> theirs;
        for (const std::string& uri : uris) {
            const surface::Server* owner = surface->find_resource(uri);
            if (owner != nullptr && owner->name == server.name) {
                theirs.push_back(uri);
            }
        }
        net::run_on(server.home, [downstream = server.downstream, agent_key, theirs]() mutable {
            downstream->set_subscriptions(agent_key, std::move(theirs));
        });
    }
}

void Gateway::on_log_level(const std::string& agent_key, std::string_view level) const {
    const auto servers = this->servers();
    for (const surface::Server& server : *servers) {
        net::run_on(server.home, [downstream = server.downstream, agent_key, level] {
            downstream->set_log_level(agent_key, level);
        });
    }
}

void Gateway::on_roots_changed(const std::string& agent_key) const {
    const auto servers = this->servers();
    for (const surface::Server& server : *servers) {
        net::run_on(server.home, [downstream = server.downstream, agent_key] {
            downstream->notify("notifications/roots/list_changed", {}, agent_key);
        });
    }
}

std::shared_ptr<agents::AgentSession> Gateway::open_session(const std::string& principal,
                                                            resilience::TimePoint now) {
    for (const auto& unused : sessions_.evict_if_full(now)) {
        end_session(unused);
    }
    auto session = sessions_.open(principal, now);
    if (!session) {
        for (const auto& other : sessions_.evict_share_for(principal)) {
            end_session(other);
        }
        session = sessions_.open(principal, now);
    }
    return session;
}

void Gateway::end_session(const std::shared_ptr<agents::AgentSession>& session) {
    std::ignore = sessions_.remove(session->key());  // May have been removed before.
    session->end();
    const auto servers = this->servers();
    for (const surface::Server& server : *servers) {
        net::run_on(server.home, [downstream = server.downstream, key = session->key()] {
            downstream->end_agent(key);
        });
    }
}

void Gateway::end_agents(const std::function<bool(const std::string&)>& is_removed) {
    for (const auto& listen : listens()) {
        if (is_removed(listen->principal())) {
            listen->finish();
            remove(*listen);
        }
    }
    for (const auto& session : sessions_.all()) {
        if (is_removed(session->principal())) {
            end_session(session);
        }
    }
}

void Gateway::tell_agent_given_up(const std::string& principal, const std::string& reason) const {
    if (options_.on_agent_given_up) {
        options_.on_agent_given_up(principal, reason);
    }
}

void Gateway::on_notification(const std::string& /*server*/, const std::string& agent_key,
                              Notification notification) {
    const auto notice = std::ranges::find(kListNotices, notification.method, &ListNotice::method);
    if (notice != kListNotices.end()) {
        publisher_->on_announced(notice->kind);
    } else if (notification.method == "notifications/resources/updated") {
        on_resource_updated(agent_key, notification.params);
    } else if (notification.method == "notifications/message") {
        on_log(agent_key, notification);
    } else if (notification.method == "notifications/elicitation/complete") {
        if (const auto session = session_of(agent_key)) {
            session->tell(jsonrpc::notification_text(notification.method, notification.params));
        }
    }
}

void Gateway::on_resource_updated(const std::string& agent_key, const std::string& params) {
    const std::string uri = uri_in(params);
    const std::string message =
        jsonrpc::notification_text("notifications/resources/updated", params);
    for (const auto& session : sessions_.all()) {
        const bool is_meant = agent_key.empty() || session->key() == agent_key;
        if (is_meant && session->is_subscribed(uri)) {
            session->tell(message);
        }
    }
    for (const auto& listen : listens()) {
        if (agent_key.empty() || listen->agent_key() == agent_key) {
            listen->on_resource_updated(uri, params);
        }
    }
}

void Gateway::on_log(const std::string& agent_key, const Notification& notification) {
    // A modern agent receives only the log messages of its own requests.
    const auto session = session_of(agent_key);
    if (!session) {
        unassigned_.logs.fetch_add(1, std::memory_order_relaxed);
    } else if (session->agent() && agents::is_logged(notification.params, session->log_level())) {
        session->tell(jsonrpc::notification_text(notification.method, notification.params));
    }
}

// On a shared link no agent is meant, even if only one session is open: the message may be about a
// call of another agent that has ended.
std::shared_ptr<agents::AgentSession> Gateway::session_of(const std::string& agent_key) const {
    return agent_key.empty() ? nullptr : sessions_.find(agent_key);
}

void Gateway::on_question(const std::string& server, const std::string& agent_key,
                          Question question) {
    const auto session = session_of(agent_key);
    const auto agent = session ? session->agent() : nullptr;
    const auto refuse = [&question](std::string_view why) {
        jsonrpc::JsonWriter error;
        error.begin_object();
        error.key("code").number(mcp::kInternalError);
        error.key("message").text(why);
        error.end_object();
        question.answer({.is_error = true, .body = error.take()});
    };
    if (!agent) {
        unassigned_.questions.fetch_add(1, std::memory_order_relaxed);
        refuse(
            "No single agent can be identified that this question is for. Set \"session\": "
            "\"per-agent\" for the server \"" +
            server +
            "\" in the gateway's configuration to give each agent a connection of "
            "its own.");
        return;
    }
    if (!agents::abilities_of(agent->face->capabilities).allow(question.method, question.params)) {
        refuse("The agent did not declare that it can do " + question.method + ".");
        return;
    }
    const auto shared = std::make_shared<Question>(std::move(question));
    const auto asked = session->ask(
        shared->method, shared->params, nullptr,
        [shared](downstream::QuestionAnswer answer) { shared->answer(std::move(answer)); });
    if (!asked) {
        shared->answer({.is_error = true,
                        .body = R"({"code":-32603,"message":"The agent cannot be reached now."})"});
    }
}

}  // namespace holdfast::dispatch
