#include <array>
#include <utility>

#include "mcp/incoming.hpp"
#include "sim/simulated_agent.hpp"

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 4> kLists{"tools/list", "prompts/list", "resources/list",
                                                 "resources/templates/list"};
constexpr std::array<std::string_view, 3> kLevels{"debug", "warning", "error"};
constexpr std::int64_t kBeyondDouble = 9'007'199'254'740'993;

bool is_relayed(std::string_view method) {
    return method == "tools/call" || method == "prompts/get" || method == "resources/read" ||
           method == "completion/complete";
}

std::string picked(Dice& dice, const std::vector<std::string>& names) {
    return names.empty() ? "unknown" : dice.pick(names);
}

}  // namespace

void SimulatedAgent::shake_hands() {
    const json::object request{
        {"jsonrpc", "2.0"},
        {"id", "hello"},
        {"method", "initialize"},
        {"params", json::object{{"protocolVersion", mcp::text_of(traits_.revision)},
                                {"capabilities", traits_.capabilities},
                                {"clientInfo", json::object{{"name", traits_.name}}}}}};
    connection_->ledger.on_sent(request, {});
    say(request);
}

void SimulatedAgent::call_something() {
    if (tools_.empty() && dice_.chance(0.8)) {
        for (const std::string_view list : kLists) {
            request(list, {});  // It does not know what to call.
        }
        return;
    }
    const std::size_t choice = dice_.between(std::size_t{0}, std::size_t{9});
    if (choice < 6) {
        Params params{{"name", picked(dice_, tools_)}};
        if (dice_.chance(0.8)) {
            params["arguments"] =
                json::object{{"x", dice_.between(std::size_t{0}, std::size_t{9})}};
        }
        request("tools/call", std::move(params));
    } else if (choice < 8) {
        request("prompts/get", {{"name", picked(dice_, prompts_)}});
    } else if (choice < 9) {
        request("resources/read", {{"uri", picked(dice_, uris_)}});
    } else {
        const json::object ref{{"type", "ref/prompt"}, {"name", picked(dice_, prompts_)}};
        const json::object argument{{"name", "x"}, {"value", ""}};
        request("completion/complete", {{"ref", ref}, {"argument", argument}});
    }
}

void SimulatedAgent::list_something() {
    if (dice_.chance(0.2)) {
        request(traits_.is_modern() ? "server/discover" : "ping", {});
    } else {
        request(dice_.pick(kLists), {});
    }
}

void SimulatedAgent::watch_something() {
    const std::string uri = picked(dice_, uris_);
    if (traits_.is_modern()) {
        json::object filter;
        if (dice_.chance(0.6)) {
            filter["toolsListChanged"] = true;
        }
        if (dice_.chance(0.6)) {
            filter["resourcesListChanged"] = true;
        }
        if (dice_.chance(0.5)) {
            filter["resourceSubscriptions"] = json::array{uri};
        }
        request("subscriptions/listen", {{"notifications", filter}});
    } else if (dice_.chance(0.3)) {
        request("logging/setLevel", {{"level", dice_.pick(kLevels)}});
    } else if (dice_.chance(0.3)) {
        request("resources/unsubscribe", {{"uri", uri}});
    } else {
        connection_->ledger.on_subscribed(uri);
        request("resources/subscribe", {{"uri", uri}});
    }
}

void SimulatedAgent::cancel_something() {
    const std::vector<json::value> open = connection_->ledger.open_ids();
    if (open.empty()) {
        return;
    }
    const json::value id = dice_.pick(open);
    if (id == json::value("hello")) {
        return;  // A handshake is not cancelled.
    }
    connection_->ledger.on_cancelled(id);
    notify("notifications/cancelled", {{"requestId", id}});
}

/// Sends several requests: as a batch if the revision has batches, else one by one.
void SimulatedAgent::send_batch() {
    json::array batch;
    const std::size_t count = dice_.between(std::size_t{1}, std::size_t{4});
    for (std::size_t index = 0; index < count; ++index) {
        json::object request = made_request("tools/call", {{"name", picked(dice_, tools_)}});
        connection_->ledger.on_sent(request, traits_.mark(last_number_));
        batch.emplace_back(std::move(request));
    }
    if (is_ready_ && mcp::allows_batches(traits_.revision)) {
        say(batch);
        return;
    }
    for (const json::value& one : batch) {
        say(one);
    }
}

json::value SimulatedAgent::request(std::string_view method, Params params) {
    const json::object message = made_request(method, std::move(params));
    connection_->ledger.on_sent(message, traits_.mark(last_number_));
    say(message);
    return message.at("id");
}

json::object SimulatedAgent::made_request(std::string_view method, Params params) {
    ++last_number_;
    json::value id = new_id();
    dress(method, params);
    json::object message = message_of(method, std::move(params));
    message["id"] = std::move(id);
    return message;
}

/// Adds the envelope of a modern request, and the mark of this world.
void SimulatedAgent::dress(std::string_view method, Params& params) {
    json::object meta = object_at(params, "_meta");
    if (is_relayed(method)) {
        // An existing mark belongs to a call that is being resumed.
        meta.emplace(kMarkKey, traits_.mark(last_number_));
        meta.erase("progressToken");
        if (dice_.chance(0.5)) {
            meta["progressToken"] =
                dice_.chance(0.5)
                    ? json::value(last_number_)
                    : json::value("<" + traits_.name + ">t" + std::to_string(last_number_));
        }
    }
    if (traits_.is_modern()) {
        meta[mcp::kVersionKey] = mcp::text_of(traits_.revision);
        meta[mcp::kClientInfoKey] = json::object{{"name", traits_.name}};
        meta[mcp::kCapabilitiesKey] = traits_.capabilities;
        if (dice_.chance(0.3)) {
            meta[mcp::kLogLevelKey] = dice_.pick(kLevels);
        }
    }
    if (!meta.empty()) {
        params["_meta"] = std::move(meta);
    }
}

json::value SimulatedAgent::new_id() {
    const std::vector<json::value> open = connection_->ledger.open_ids();
    if (!open.empty() && dice_.chance(0.03)) {
        return dice_.pick(open);  // A wrong id on purpose.
    }
    const auto number = static_cast<std::int64_t>(last_number_);
    switch (dice_.between(std::size_t{0}, std::size_t{4})) {
        case 0:
            return json::value(std::to_string(number));
        case 1:
            return json::value(-number);
        case 2:
            return json::value(kBeyondDouble + 2 * number);
        default:
            return json::value(number);
    }
}

}  // namespace holdfast::sim
