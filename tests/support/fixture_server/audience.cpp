#include "support/fixture_server/audience.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::fixture {
namespace {

namespace json = boost::json;

struct ChangeNames {
    std::string_view notification;
    std::string_view filter;
};

ChangeNames names_of(Change change) {
    switch (change) {
        case Change::tools:
            return {"notifications/tools/list_changed", "toolsListChanged"};
        case Change::prompts:
            return {"notifications/prompts/list_changed", "promptsListChanged"};
        case Change::resources:
            return {"notifications/resources/list_changed", "resourcesListChanged"};
    }
    return {};
}

std::string subscription_member(const Call& call) {
    return R"("io.modelcontextprotocol/subscriptionId":)" + call.id();
}

/// Returns params of a notification on a subscription, with members before its `_meta`.
std::string params_for(const Call& call, const std::string& members) {
    return "{" + members + (members.empty() ? "" : ",") + R"("_meta":{)" +
           subscription_member(call) + "}}";
}

/// Returns the supported part of the requested filter.
json::object honoured(const json::object& params) {
    json::object filter;
    const json::value* wishes = params.if_contains("notifications");
    if (wishes == nullptr || !wishes->is_object()) {
        return filter;
    }
    for (const Change change : {Change::tools, Change::prompts, Change::resources}) {
        const json::value* wish = wishes->get_object().if_contains(names_of(change).filter);
        if (wish != nullptr && wish->is_bool() && wish->get_bool()) {
            filter.emplace(names_of(change).filter, true);
        }
    }
    const json::value* uris = wishes->get_object().if_contains("resourceSubscriptions");
    if (uris != nullptr && uris->is_array()) {
        filter.emplace("resourceSubscriptions", *uris);
    }
    return filter;
}

bool wants_update(const json::object& filter, std::string_view uri) {
    const json::value* uris = filter.if_contains("resourceSubscriptions");
    return uris != nullptr && std::ranges::any_of(uris->get_array(), [&](const json::value& wish) {
               return wish.is_string() && wish.get_string() == uri;
           });
}

}  // namespace

void Audience::join(const std::shared_ptr<Session>& session) {
    std::erase_if(sessions_, [&](const std::weak_ptr<Session>& other) {
        return other.expired() || other.lock() == session;
    });
    sessions_.push_back(session);
}

bool Audience::listen(const std::shared_ptr<Call>& call) {
    if (listens_.size() >= kMaxListens) {
        return false;
    }
    const json::object filter = honoured(call->params());
    listens_.push_back({.call = call, .filter = filter});
    call->outlet()->send(jsonrpc::notification_text(
        "notifications/subscriptions/acknowledged",
        params_for(*call, R"("notifications":)" + json::serialize(filter))));
    return true;
}

void Audience::leave(const Call& call) {
    std::erase_if(listens_, [&](const Listen& listen) { return listen.call.get() == &call; });
}

void Audience::end_listens() {
    for (const Listen& listen : std::exchange(listens_, {})) {
        listen.call->finish(Answer{.meta = subscription_member(*listen.call)});
        listen.call->wake();
    }
}

void Audience::announce(Change change) {
    const ChangeNames names = names_of(change);
    for (const auto& weak : sessions_) {
        if (const auto session = weak.lock()) {
            session->send_unrelated(jsonrpc::notification_text(names.notification, {}));
        }
    }
    for (const Listen& listen : listens_) {
        if (listen.filter.contains(names.filter)) {
            listen.call->outlet()->send(
                jsonrpc::notification_text(names.notification, params_for(*listen.call, {})));
        }
    }
}

void Audience::announce_update(std::string_view uri) {
    constexpr std::string_view kMethod = "notifications/resources/updated";
    const std::string member = R"("uri":)" + jsonrpc::quoted_text(uri);
    for (const auto& weak : sessions_) {
        const auto session = weak.lock();
        if (session && session->subscriptions.contains(uri)) {
            session->send_unrelated(jsonrpc::notification_text(kMethod, "{" + member + "}"));
        }
    }
    for (const Listen& listen : listens_) {
        if (wants_update(listen.filter, uri)) {
            listen.call->outlet()->send(
                jsonrpc::notification_text(kMethod, params_for(*listen.call, member)));
        }
    }
}

}  // namespace holdfast::fixture
