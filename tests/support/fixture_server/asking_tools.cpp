#include <boost/asio/awaitable.hpp>
#include <boost/json/serialize.hpp>

#include "support/fixture_server/asking.hpp"
#include "support/fixture_server/server.hpp"
#include "support/fixture_server/session.hpp"
#include "support/fixture_server/tool.hpp"

namespace holdfast::fixture {
namespace {

namespace json = boost::json;

constexpr std::string_view kKey = "answer";

/// Returns the text of a sampled message, whose content is one block or several.
std::string sampled_text(const json::object& answer) {
    const json::value& content = answer.at("content");
    if (const json::object* block = content.if_object()) {
        return string_in(*block, "text");
    }
    return json::serialize(content);
}

std::string completed_elicitation(const json::object& answer) {
    const json::value* content = answer.if_contains("content");
    return "Elicitation completed: action=" + string_in(answer, "action") +
           ", content=" + (content != nullptr ? json::serialize(*content) : "{}");
}

/// Asks as the tools of this server do: in the style of the era, or by requests alone.
boost::asio::awaitable<Asked> ask_or_push(std::shared_ptr<Call> call,
                                          std::vector<Question> questions) {
    if (call->is_modern() && call->server().options().only_pushes) {
        co_return failed_result(
            "Server-to-client requests are not available on protocol revision " +
            call->protocol_version() + ": '" + std::string{questions.front().method} +
            "' cannot be sent.");
    }
    co_return co_await ask(std::move(call), std::move(questions));
}

/// Asks one form and returns the answer.
boost::asio::awaitable<Outcome> elicit(std::shared_ptr<Call> call, Question question) {
    std::vector<Question> questions;
    questions.push_back(std::move(question));
    const Asked asked = co_await ask_or_push(std::move(call), std::move(questions));
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    const auto& answers = std::get<json::object>(asked);
    co_return text_result(completed_elicitation(answers.at(kKey).get_object()));
}

boost::asio::awaitable<Outcome> sampling(std::shared_ptr<Call> call) {
    const std::string prompt = string_in(call->arguments(), "prompt", "Say something.");
    const Asked asked = co_await ask_or_push(call, {sampling_question(kKey, prompt, 100)});
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    const json::object& answer = std::get<json::object>(asked).at(kKey).get_object();
    co_return text_result("LLM response: " + sampled_text(answer));
}

boost::asio::awaitable<Outcome> elicitation(std::shared_ptr<Call> call) {
    constexpr std::string_view kSchema =
        R"({"type":"object","properties":{)"
        R"("username":{"type":"string","description":"User's response"},)"
        R"("email":{"type":"string","description":"User's email address"}},)"
        R"("required":["username","email"]})";
    const std::string message = string_in(call->arguments(), "message", "Who are you?");
    return elicit(std::move(call), schema_question(kKey, message, kSchema));
}

boost::asio::awaitable<Outcome> elicitation_defaults(std::shared_ptr<Call> call) {
    constexpr std::string_view kSchema =
        R"({"type":"object","properties":{"name":{"type":"string","default":"John Doe"},)"
        R"("age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},)"
        R"("status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},)"
        R"("verified":{"type":"boolean","default":true}},"required":[]})";
    return elicit(std::move(call), schema_question(kKey, "Please review the defaults", kSchema));
}

boost::asio::awaitable<Outcome> elicitation_enums(std::shared_ptr<Call> call) {
    constexpr std::string_view kSchema =
        R"({"type":"object","properties":{)"
        R"("untitledSingle":{"type":"string","enum":["option1","option2","option3"]},)"
        R"("titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},)"
        R"({"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},)"
        R"("legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],)"
        R"("enumNames":["Option One","Option Two","Option Three"]},)"
        R"("untitledMulti":{"type":"array","items":{"type":"string",)"
        R"("enum":["option1","option2","option3"]}},)"
        R"("titledMulti":{"type":"array","items":{"anyOf":[)"
        R"({"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},)"
        R"({"const":"value3","title":"Third Choice"}]}}},"required":[]})";
    return elicit(std::move(call), schema_question(kKey, "Please choose", kSchema));
}

boost::asio::awaitable<Outcome> streaming_elicitation(std::shared_ptr<Call> call) {
    const Asked asked = co_await ask(call, {form_question(kKey, "What is your name?", "name")});
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    const auto& answers = std::get<json::object>(asked);
    co_return text_result(completed_elicitation(answers.at(kKey).get_object()));
}

Outcome needs_sampling(Call& call) {
    if (!call.client_capabilities().contains("sampling")) {
        return missing_capability(call, "sampling");
    }
    return text_result("The client supports sampling.");
}

Question question_of_kind(const std::string& kind, const std::string& key) {
    if (kind == "sampling") {
        return sampling_question(key, "What do you say?", 100);
    }
    return kind == "roots" ? roots_question(key) : form_question(key, "What do you say?", "text");
}

boost::asio::awaitable<Outcome> ask_once(std::shared_ptr<Call> call) {
    const std::string key = string_in(call->arguments(), "key", kKey);
    std::vector<Question> questions;
    questions.push_back(question_of_kind(string_in(call->arguments(), "kind"), key));
    const Asked asked = co_await ask_or_push(call, std::move(questions));
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    co_return text_result(json::serialize(std::get<json::object>(asked).at(key)));
}

boost::asio::awaitable<Outcome> ask_twice(std::shared_ptr<Call> call) {
    const std::string kind = string_in(call->arguments(), "kind");
    std::vector<Question> questions;
    questions.push_back(question_of_kind(kind, "first"));
    questions.push_back(question_of_kind(kind, "second"));
    const Asked asked = co_await ask_or_push(call, std::move(questions));
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    const auto& answers = std::get<json::object>(asked);
    co_return text_result(json::serialize(
        json::object{{"first", answers.at("first")}, {"second", answers.at("second")}}));
}

}  // namespace

std::vector<Tool> asking_tools() {
    constexpr std::string_view kKind =
        R"("kind":{"type":"string","enum":["elicitation","sampling","roots"]})";
    constexpr std::string_view kKindAndKey =
        R"("kind":{"type":"string","enum":["elicitation","sampling","roots"]},)"
        R"("key":{"type":"string"})";
    return {
        make_tool("test_sampling",
                  {"Asks the client's model.", R"("prompt":{"type":"string"})", R"("prompt")"},
                  sampling),
        make_tool("test_elicitation",
                  {"Asks the user for a name and an address.", R"("message":{"type":"string"})",
                   R"("message")"},
                  elicitation),
        make_tool("test_elicitation_sep1034_defaults", {"Asks with defaults of every type."},
                  elicitation_defaults),
        make_tool("test_elicitation_sep1330_enums", {"Asks with every kind of choice."},
                  elicitation_enums),
        make_tool("test_streaming_elicitation", {"Asks while its answer may be streamed."},
                  streaming_elicitation),
        make_tool("test_missing_capability", {"Works only for clients that can sample."},
                  needs_sampling),
        make_tool("ask", {"Asks one question, and returns the bare answer.", kKindAndKey},
                  ask_once),
        make_tool("ask_twice", {"Asks two questions at once.", kKind}, ask_twice),
    };
}

}  // namespace holdfast::fixture
