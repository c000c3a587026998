// How a process handles one call: sends notifications, asks, answers, or fails.
//
// A legacy server does not say which call a question or a log line is about. The gateway assigns it
// to the only agent with calls in flight. A process that continues a call which the gateway has
// cancelled therefore sends nothing more with the mark of its agent.

#include <array>
#include <utility>

#include "sim/downstream_process.hpp"

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

constexpr int kInternalError = -32'603;
constexpr int kResourceNotFound = -32'002;
constexpr int kUrlElicitationRequired = -32'042;
constexpr int kUnknownId = 999'999;

json::object question_params(std::string_view method, const std::string& mark, bool by_url) {
    if (method == "roots/list") {
        return {};
    }
    if (method == "sampling/createMessage") {
        return {{"maxTokens", 10}, {"messages", json::array{}}, {"systemPrompt", mark}};
    }
    if (by_url) {
        return {{"mode", "url"}, {"message", mark}, {"url", "https://sim.test/"}};
    }
    return {{"message", mark}, {"requestedSchema", json::object{{"type", "object"}}}};
}

/// Whether the answer came from another agent than the question was for.
bool is_of_another(const std::string& answer, const std::string& mark) {
    const std::string agent = mark.substr(0, mark.find('#'));
    return answer.find("<A") != std::string::npos && answer.find(agent) == std::string::npos;
}

}  // namespace

void DownstreamProcess::begin(Call call) {
    calls_[json::serialize(call->id)] = call;
    if (dice().chance(traits().says)) {
        talk_about(call);
    }
    const bool is_slow = dice().chance(0.1);
    later(is_slow ? dice().between(1s, 4s) : dice().between(0ms, 300ms),
          [this, call] { react(call); });
}

bool DownstreamProcess::is_to_go_on(const ServedCall& call) const {
    return !call.is_answered && (!call.is_cancelled || traits().is_rude);
}

void DownstreamProcess::talk_about(const Call& call) {
    const json::object meta = object_at(call->params, "_meta");
    const json::value* token = meta.if_contains("progressToken");
    const std::size_t count = dice().between(std::size_t{1}, std::size_t{4});
    for (std::size_t step = 1; step <= count; ++step) {
        // Some progress is out of order, and some arrives after the answer.
        later(dice().between(0ms, 400ms), [this, call, step, token = token ? *token : nullptr] {
            if (!token.is_null()) {
                notify("notifications/progress",
                       {{"progressToken", token}, {"progress", step}, {"message", call->mark}});
            }
            if (is_to_go_on(*call)) {
                notify("notifications/message",
                       {{"level", "warning"}, {"data", call->shown_mark()}});
            }
        });
    }
}

void DownstreamProcess::react(const Call& call) {
    if (!is_to_go_on(*call)) {
        return;
    }
    if (dice().chance(traits().fails)) {
        go_wrong(call);
    } else if (call->method != "completion/complete" &&
               call->rounds < owner_->world().limits.max_rounds && dice().chance(traits().asks)) {
        ask(call);
    } else {
        answer(call);
    }
}

void DownstreamProcess::go_wrong(const Call& call) {
    const std::size_t fault = dice().between(std::size_t{0}, std::size_t{9});
    switch (fault) {
        case 0:
            call->is_answered = true;
            refuse(call->id, dice().chance(0.5) ? kInternalError : kResourceNotFound, call->mark);
            return;
        case 1:
            return;  // Never answers.
        case 2:
        case 3:
            if (fault == 3) {
                answer(call);
            }
            die();
            return;
        case 4:
        case 5:
            say_junk(call);
            return;
        case 6:
            answer(call);
            answer(call);
            return;
        case 7:
            reply(kUnknownId, result_of({.method = call->method}));
            answer(call);
            return;
        case 8:
            later(owner_->world().limits.call_timeout + dice().between(0ms, 5s),
                  [this, call] { answer(call); });
            return;
        default:
            demand_visit(call);
            return;
    }
}

void DownstreamProcess::say_junk(const Call& call) {
    for (const auto& [id, other] : calls_) {
        other->may_be_given_up = true;
    }
    if (dice().chance(0.3)) {
        channel_->write_too_long();
    } else if (dice().chance(0.5)) {
        say_text("this is not JSON");
    } else {
        say_text(R"({"jsonrpc":"2.0","id":)" + json::serialize(call->id) + "}");
    }
}

/// Refuses the call until the user has visited a page.
void DownstreamProcess::demand_visit(const Call& call) {
    call->is_answered = true;
    const json::array pages{question_params("elicitation/create", call->mark, true)};
    const json::object error{{"code", kUrlElicitationRequired},
                             {"message", call->mark},
                             {"data", json::object{{"elicitations", pages}}}};
    say({{"jsonrpc", "2.0"}, {"id", call->id}, {"error", error}});
}

json::object DownstreamProcess::result_of(const ServedCall& call) const {
    const json::object text{{"type", "text"}, {"text", call.mark}};
    if (call.method == "tools/call") {
        return {{"content", json::array{text}}};
    }
    if (call.method == "prompts/get") {
        return {{"messages", json::array{json::object{{"role", "user"}, {"content", text}}}}};
    }
    if (call.method == "resources/read") {
        const json::object contents{{"uri", text_at(call.params, "uri")}, {"text", call.mark}};
        return {{"contents", json::array{contents}}};
    }
    return {{"completion", json::object{{"values", json::array{call.mark}}}}};
}

void DownstreamProcess::answer(const Call& call) {
    call->is_answered = true;
    reply(call->id, result_of(*call));
}

void DownstreamProcess::ask(const Call& call) {
    ++call->rounds;
    if (traits().is_modern()) {
        ask_in_result(call);
        return;
    }
    const std::size_t count = dice().between(std::size_t{1}, std::size_t{2});
    for (std::size_t number = 0; number < count; ++number) {
        ask_by_request(call);
    }
    // Sometimes does not wait for the answers to its questions.
    if (dice().chance(0.15)) {
        later(dice().between(0ms, 3s), [this, call] { react(call); });
    }
}

/// A modern server asks only for what the agent supports. The question ends the call; the answer
/// arrives in a new one.
void DownstreamProcess::ask_in_result(const Call& call) {
    const json::object meta = object_at(call->params, "_meta");
    const json::object abilities = object_at(meta, "io.modelcontextprotocol/clientCapabilities");
    const bool was_asked = call->params.contains("requestState");
    json::object questions;
    const auto add = [&](std::string_view method) {
        questions["k" + std::to_string(questions.size())] = json::object{
            {"method", method}, {"params", question_params(method, call->mark, false)}};
    };
    if (abilities.contains("elicitation")) {
        add("elicitation/create");
    }
    if (abilities.contains("sampling") && dice().chance(0.5)) {
        add("sampling/createMessage");
    }
    if (questions.empty() || (was_asked && dice().chance(0.7))) {
        answer(call);
        return;
    }
    call->is_answered = true;
    reply(call->id, {{"resultType", "input_required"},
                     {"inputRequests", questions},
                     {"requestState", "state of " + call->mark}});
}

void DownstreamProcess::ask_by_request(const Call& call) {
    static constexpr std::array<std::string_view, 3> kMethods{
        "elicitation/create", "sampling/createMessage", "roots/list"};
    const std::string_view method = dice().pick(kMethods);
    const std::string mark = call->shown_mark();
    const std::string id = "s" + std::to_string(++last_question_);
    json::object question = message_of(method, question_params(method, mark, dice().chance(0.2)));
    question["id"] = id;
    asked_["\"" + id + "\""] = [this, call, mark](const json::object& reply) {
        on_asked(call, mark, reply);
    };
    say(question);
    if (dice().chance(0.1)) {
        later(dice().between(0ms, 2s),
              [this, id] { notify("notifications/cancelled", {{"requestId", id}}); });
    }
}

/// Asks outside of every call.
void DownstreamProcess::ask_nobody() {
    if (dice().chance(0.2)) {
        json::object question = message_of("roots/list", {});
        question["id"] = "s" + std::to_string(++last_question_);
        say(question);
    }
}

void DownstreamProcess::on_answer(const json::object& message) {
    auto node = asked_.extract(json_at(message, "id"));
    if (!node.empty()) {
        node.mapped()(message);
    }
}

void DownstreamProcess::on_asked(const Call& call, const std::string& mark,
                                 const json::object& reply) {
    const std::string answer = json_at(reply, "result");
    if (!mark.empty() && is_of_another(answer, mark)) {
        owner_->world().complaints.add(traits().name + " asked " + mark +
                                       " and got the answer of another agent: " + answer);
    }
    later(dice().between(0ms, 200ms), [this, call] { react(call); });
}

}  // namespace holdfast::sim
