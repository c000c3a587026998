#include "dispatch/listen.hpp"

#include <algorithm>
#include <utility>

#include "calls/input_round.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/object_edit.hpp"

namespace holdfast::dispatch {
namespace {

struct ListName {
    downstream::ListKind kind;
    std::string_view filter_key;
    std::string_view method;
};

constexpr std::array<ListName, 3> kLists{{
    {downstream::ListKind::tools, "toolsListChanged", "notifications/tools/list_changed"},
    {downstream::ListKind::prompts, "promptsListChanged", "notifications/prompts/list_changed"},
    {downstream::ListKind::resources, "resourcesListChanged",
     "notifications/resources/list_changed"},
}};

std::vector<std::string> strings_in(std::string_view array) {
    std::vector<std::string> strings;
    std::size_t position = array.find('"');
    while (position != std::string_view::npos) {
        std::size_t end = position + 1;
        while (end < array.size() && array[end] != '"') {
            end += array[end] == '\\' ? 2 : 1;
        }
        if (end >= array.size()) {
            break;
        }
        strings.push_back(jsonrpc::decoded(array.substr(position, end + 1 - position)));
        position = array.find('"', end + 1);
    }
    return strings;
}

}  // namespace

ListenFilter listen_filter_of(std::string_view notifications) {
    ListenFilter filter;
    for (const auto& [key, value] : calls::members_of(notifications)) {
        for (const ListName& list : kLists) {
            if (key == list.filter_key && value == "true") {
                filter.lists[static_cast<std::size_t>(list.kind)] = true;
            }
        }
        if (key == "resourceSubscriptions" && value.starts_with('[')) {
            filter.uris = strings_in(value);
        }
    }
    return filter;
}

std::string ListenFilter::text() const {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    for (const ListName& list : kLists) {
        if (lists[static_cast<std::size_t>(list.kind)]) {
            writer.key(list.filter_key).boolean(true);
        }
    }
    if (!uris.empty()) {
        writer.key("resourceSubscriptions").texts(uris);
    }
    writer.end_object();
    return writer.take();
}

Listen::Listen(std::string id, std::shared_ptr<const agents::Agent> agent, ListenFilter filter,
               std::shared_ptr<agents::ReplyPort> port, std::function<void(const Listen&)> on_end)
    : id_(std::move(id)),
      agent_(std::move(agent)),
      filter_(std::move(filter)),
      port_(std::move(port)),
      on_end_(std::move(on_end)) {}

std::string Listen::subscription_meta(std::string_view own) const {
    return jsonrpc::with_member(own, "io.modelcontextprotocol/subscriptionId", id_);
}

void Listen::acknowledge() {
    jsonrpc::JsonWriter params;
    params.begin_object();
    params.key("notifications").raw(filter_.text());
    params.key("_meta").raw(subscription_meta());
    params.end_object();
    port_->send(
        jsonrpc::notification_text("notifications/subscriptions/acknowledged", params.take()),
        net::Importance::must_arrive);
    Stage expected = Stage::opening;
    stage_.compare_exchange_strong(expected, Stage::open);
    const std::weak_ptr<Listen> weak = weak_from_this();
    port_->on_gone([weak] {
        if (const auto listen = weak.lock()) {
            listen->cancel();
        }
    });
}

void Listen::on_list_changed(downstream::ListKind kind) {
    const auto list = std::ranges::find(kLists, kind, &ListName::kind);
    if (stage_ == Stage::open && list != kLists.end() &&
        filter_.lists[static_cast<std::size_t>(kind)]) {
        port_->send(
            jsonrpc::notification_text(list->method, R"({"_meta":)" + subscription_meta() + "}"),
            net::Importance::droppable);
    }
}

void Listen::on_resource_updated(std::string_view uri, std::string_view params) {
    const auto is_part = [uri](const std::string& wanted) { return uri.starts_with(wanted); };
    if (stage_ != Stage::open || std::ranges::none_of(filter_.uris, is_part)) {
        return;
    }
    std::string own;
    for (auto& [key, value] : calls::members_of(params)) {
        if (key == "_meta") {
            own = std::move(value);
        }
    }
    port_->send(
        jsonrpc::notification_text("notifications/resources/updated",
                                   jsonrpc::with_member(params, "_meta", subscription_meta(own))),
        net::Importance::droppable);
}

void Listen::cancel() {
    if (stage_.exchange(Stage::over) != Stage::over) {
        on_end_(*this);
        port_->abandon();
    }
}

void Listen::finish() {
    if (stage_.exchange(Stage::over) != Stage::over) {
        port_->finish(jsonrpc::result_text(
            id_, R"({"resultType":"complete","_meta":)" + subscription_meta() + "}"));
    }
}

}  // namespace holdfast::dispatch
