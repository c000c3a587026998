#include <tuple>
#include <utility>

#include "sim/simulated_agent.hpp"

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kParkedPrefix = "holdfast:";

void collect(const json::object& result, std::string_view member, std::string_view key,
             std::vector<std::string>& names) {
    const json::value* list = result.if_contains(member);
    if (list == nullptr || !list->is_array() || list->get_array().empty()) {
        return;
    }
    names.clear();
    for (const json::value& entry : list->get_array()) {
        names.push_back(text_at(entry.as_object(), key));
    }
}

}  // namespace

void SimulatedAgent::on_text(const std::string& text) {
    world_.trace.note(traits_.name, "<", text);
    const json::value value = json::parse(text);
    if (const json::array* batch = value.if_array()) {
        for (const json::value& one : *batch) {
            on_message(one.as_object());
        }
        return;
    }
    on_message(value.as_object());
}

void SimulatedAgent::on_message(const json::object& message) {
    connection_->ledger.on_received(json::serialize(message), message);
    const json::value* id = message.if_contains("id");
    if (id == nullptr || id->is_null()) {
        return;
    }
    if (message.contains("method")) {
        on_question(message);
    } else if (message.contains("result")) {
        on_result(*id, object_at(message, "result"));
    }
}

void SimulatedAgent::on_result(const json::value& id, const json::object& result) {
    const SentRequest* sent = connection_->ledger.find(id);
    if (sent == nullptr || sent->sent > 1) {
        return;
    }
    if (text_at(sent->last, "method") == "initialize") {
        is_ready_ = true;
        notify("notifications/initialized", {});
    } else if (text_at(result, "resultType") == "input_required") {
        resume_later(sent->last, result);
    } else {
        learn(result);
    }
}

void SimulatedAgent::learn(const json::object& result) {
    collect(result, "tools", "name", tools_);
    collect(result, "prompts", "name", prompts_);
    collect(result, "resources", "uri", uris_);
}

json::object SimulatedAgent::answer_to(std::string_view method) {
    const std::string mark = traits_.mark(0);
    if (method == "roots/list") {
        return {{"roots", json::array{json::object{{"uri", "file:///" + mark}}}}};
    }
    if (method == "sampling/createMessage") {
        return {{"role", "assistant"},
                {"model", "m"},
                {"content", json::object{{"type", "text"}, {"text", mark}}}};
    }
    if (dice_.chance(0.3)) {
        return {{"action", "decline"}};
    }
    return {{"action", "accept"}, {"content", json::object{{"who", mark}}}};
}

void SimulatedAgent::on_question(const json::object& question) {
    const json::value id = question.at("id");
    if (dice_.chance(0.15)) {
        return;  // Never answers.
    }
    json::object message{{"jsonrpc", "2.0"}, {"id", id}};
    if (dice_.chance(0.15)) {
        message["error"] = json::object{{"code", -1}, {"message", "No."}};
    } else {
        message["result"] = answer_to(text_at(question, "method"));
    }
    later(dice_.between(0ms, world_.limits.agent_patience), [this, message] {
        say(message);
        if (dice_.chance(0.05)) {
            say(message);  // An unsolicited answer.
        }
    });
}

void SimulatedAgent::resume_later(const json::object& request, const json::object& result) {
    if (dice_.chance(0.15)) {
        return;  // Never resumes.
    }
    const bool is_late = dice_.chance(0.05);
    const Duration delay = is_late ? world_.limits.ask_timeout + dice_.between(0ms, 2s)
                                   : dice_.between(0ms, world_.limits.agent_patience);
    later(delay, [this, request, result, is_late] {
        if (!is_resting_ || !is_late) {
            resume(request, result, !is_late);
        }
        if (!is_resting_ && dice_.chance(0.1)) {
            resume(request, result, false);  // For the second time.
        }
    });
}

void SimulatedAgent::resume(const json::object& request, const json::object& result,
                            bool is_rightful) {
    json::object params = object_at(request, "params");
    std::string state = text_at(result, "requestState");
    if (dice_.chance(0.05)) {
        state += "x";
        is_rightful = false;
    }
    json::object answers;
    for (const auto& [key, question] : object_at(result, "inputRequests")) {
        if (dice_.chance(0.9)) {
            answers[key] = answer_to(text_at(question.as_object(), "method"));
        }
    }
    params["inputResponses"] = std::move(answers);
    params["requestState"] = state;
    const std::string mark = text_at(object_at(params, "_meta"), kMarkKey);
    const json::object message = made_request(text_at(request, "method"), std::move(params));
    connection_->ledger.on_sent(message, mark);
    if (is_rightful && state.starts_with(kParkedPrefix)) {
        connection_->ledger.expect_resumed(message.at("id"));
    }
    say(message);
}

}  // namespace holdfast::sim
