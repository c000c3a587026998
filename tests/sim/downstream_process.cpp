#include "sim/downstream_process.hpp"

#include <array>
#include <tuple>
#include <utility>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

constexpr int kMethodNotFound = -32'601;

struct ListMethod {
    std::string_view method;
    std::string_view member;
};

constexpr std::array<ListMethod, 4> kLists{{
    {"tools/list", "tools"},
    {"prompts/list", "prompts"},
    {"resources/list", "resources"},
    {"resources/templates/list", "resourceTemplates"},
}};

json::object capabilities() {
    return {{"tools", json::object{{"listChanged", true}}},
            {"prompts", json::object{{"listChanged", true}}},
            {"resources", json::object{{"listChanged", true}, {"subscribe", true}}},
            {"logging", json::object{}},
            {"completions", json::object{}}};
}

}  // namespace

DownstreamProcess::DownstreamProcess(std::shared_ptr<SimulatedDownstream> owner,
                                     std::unique_ptr<test::MemoryChannel> channel)
    : owner_(std::move(owner)), channel_(std::move(channel)) {}

boost::asio::awaitable<void> DownstreamProcess::run(std::shared_ptr<DownstreamProcess> self) {
    while (true) {
        const auto text = co_await self->channel_->read();
        if (!text) {
            break;
        }
        self->on_text(std::string{*text});
    }
    self->die();
}

void DownstreamProcess::await_fate() {
    if (!traits().is_mortal || owner_->is_calm() || !dice().chance(0.7)) {
        return;
    }
    const bool hangs = dice().chance(0.3);
    later(dice().between(1ms, 25s), [this, hangs] {
        if (owner_->is_calm()) {
            return;
        }
        owner_->world().trace.note(traits().name, hangs ? "hangs" : "dies", "");
        hangs ? static_cast<void>(is_hung_ = true) : die();
    });
}

void DownstreamProcess::die() {
    channel_->end();
    calls_.clear();
    asked_.clear();
    listens_.clear();
}

/// No effect if the process has ended by then.
void DownstreamProcess::later(Duration delay, std::function<void()> work) {
    owner_->world().loop.after(delay, [weak = weak_from_this(), work = std::move(work)] {
        const auto self = weak.lock();
        if (self && !self->channel_->has_ended()) {
            work();
        }
    });
}

void DownstreamProcess::on_text(const std::string& text) {
    owner_->world().trace.note(traits().name, "<", text);
    if (is_hung_) {
        return;
    }
    const json::value value = json::parse(text);
    const json::object& message = value.as_object();
    const std::string method = text_at(message, "method");
    if (method.empty()) {
        on_answer(message);
    } else if (message.contains("id")) {
        on_request(message);
    } else if (method == "notifications/cancelled") {
        on_cancelled(object_at(message, "params"));
    }
}

void DownstreamProcess::on_request(const json::object& message) {
    const json::value& id = message.at("id");
    const std::string method = text_at(message, "method");
    const json::object params = object_at(message, "params");
    for (const ListMethod& list : kLists) {
        if (method == list.method) {
            const bool is_slow = dice().chance(traits().slow_lists);
            later(is_slow ? dice().between(1s, 40s) : dice().between(0ms, 50ms),
                  [this, id, params, member = list.member] { answer_list(id, member, params); });
            return;
        }
    }
    if (method == "server/discover" || method == "initialize") {
        shake_hands(message);
    } else if (method == "subscriptions/listen") {
        listen(message);
    } else if (method == "tools/call" || method == "prompts/get" || method == "resources/read" ||
               method == "completion/complete") {
        auto call =
            std::make_shared<ServedCall>(ServedCall{.id = id, .method = method, .params = params});
        call->mark = text_at(object_at(params, "_meta"), kMarkKey);
        begin(std::move(call));
    } else {
        reply(id, {});
    }
}

void DownstreamProcess::shake_hands(const json::object& message) {
    const json::value& id = message.at("id");
    const bool is_modern_try = text_at(message, "method") == "server/discover";
    if (is_modern_try && !traits().is_modern()) {
        probe(id);
        return;
    }
    if (!is_modern_try && traits().is_modern()) {
        refuse(id, kMethodNotFound, "no such method");
        return;
    }
    json::object result{{"capabilities", capabilities()}, {"instructions", "Be kind."}};
    if (is_modern_try) {
        result["supportedVersions"] = json::array{mcp::text_of(traits().revision)};
    } else {
        result["protocolVersion"] = mcp::text_of(traits().revision);
        result["serverInfo"] = json::object{{"name", traits().name}, {"version", "1"}};
    }
    is_ready_ = true;
    later(dice().between(0ms, 100ms), [this, id, result] { reply(id, result); });
}

void DownstreamProcess::probe(const json::value& id) {
    switch (traits().on_probe) {
        case OnProbe::refuse:
            refuse(id, kMethodNotFound, "no such method");
            return;
        case OnProbe::keep_silent:
            return;
        case OnProbe::die:
            die();
            return;
    }
}

void DownstreamProcess::answer_list(const json::value& id, std::string_view member,
                                    const json::object& params) {
    json::array entries = owner_->list(member);
    json::object result;
    const bool has_pages = entries.size() > 3;
    if (has_pages && !params.contains("cursor")) {
        entries.resize(2);
        result["nextCursor"] = "2";
    } else if (has_pages) {
        entries.erase(entries.begin(), entries.begin() + 2);
    }
    result[member] = std::move(entries);
    if (traits().is_modern()) {
        result["ttlMs"] = 1'000;
        result["cacheScope"] = "private";
    }
    reply(id, std::move(result));
}

void DownstreamProcess::listen(const json::object& message) {
    const json::value& id = message.at("id");
    const json::object filter = object_at(object_at(message, "params"), "notifications");
    listens_[json::serialize(id)] = filter;
    notify("notifications/subscriptions/acknowledged",
           {{"notifications", filter}, {"_meta", json::object{{kSubscriptionKey, id}}}});
    if (!owner_->is_calm() && dice().chance(0.2)) {
        later(dice().between(1s, 20s), [this, id] {
            if (listens_.erase(json::serialize(id)) > 0) {
                reply(id, {});
            }
        });
    }
}

void DownstreamProcess::on_cancelled(const json::object& params) {
    const std::string id = json_at(params, "requestId");
    listens_.erase(id);
    const auto found = calls_.find(id);
    if (found != calls_.end()) {
        found->second->is_cancelled = true;
    }
}

void DownstreamProcess::announce() {
    static constexpr std::array<std::string_view, 3> kKinds{"tools", "prompts", "resources"};
    if (is_hung_ || !is_ready_) {
        return;
    }
    const std::string method =
        "notifications/" + std::string{dice().pick(kKinds)} + "/list_changed";
    const std::string uri = "sim://" + traits().name + "/0";
    if (!traits().is_modern()) {
        notify(method, {});
        notify("notifications/resources/updated", {{"uri", uri}});
        ask_nobody();
        return;
    }
    for (const auto& [id, filter] : listens_) {
        const json::object meta{{kSubscriptionKey, json::parse(id)}};
        notify(method, {{"_meta", meta}});
        notify("notifications/resources/updated", {{"uri", uri}, {"_meta", meta}});
    }
}

void DownstreamProcess::reply(const json::value& id, json::object result) {
    if (traits().is_modern() && !result.contains("resultType")) {
        result["resultType"] = "complete";
        result["_meta"] =
            json::object{{"io.modelcontextprotocol/serverInfo", json::object{{"name", "s"}}}};
    }
    say({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void DownstreamProcess::refuse(const json::value& id, int code, std::string_view words) {
    say({{"jsonrpc", "2.0"},
         {"id", id},
         {"error", json::object{{"code", code}, {"message", words}}}});
}

void DownstreamProcess::notify(std::string_view method, json::object params) {
    say(message_of(method, std::move(params)));
}

void DownstreamProcess::say_text(const std::string& text) {
    if (is_hung_ || channel_->has_ended()) {
        return;
    }
    owner_->world().trace.note(traits().name, ">", text);
    std::ignore = channel_->try_write(text);  // The agents notice a gateway that does not read.
}

}  // namespace holdfast::sim
