#include <algorithm>

#include <boost/asio/awaitable.hpp>
#include <boost/json/serialize.hpp>

#include "support/fixture_server/asking.hpp"
#include "support/fixture_server/tool.hpp"

namespace holdfast::fixture {
namespace {

namespace json = boost::json;
using boost::asio::awaitable;

/// Returns a field of the form that was answered under that key; a default if it was declined.
std::string field_of(const json::object& answers, std::string_view key, std::string_view field) {
    const json::value* content = answers.at(key).get_object().if_contains("content");
    if (content == nullptr || !content->is_object()) {
        return "nobody";
    }
    return string_in(content->get_object(), field, "nobody");
}

/// Asks, and returns all answers after a word.
awaitable<Outcome> ask_and_tell(std::shared_ptr<Call> call, std::vector<Question> questions,
                                StateUse use, std::string_view word) {
    const Asked asked = co_await ask(std::move(call), std::move(questions), use);
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    co_return text_result(std::string{word} + ": " +
                          json::serialize(std::get<json::object>(asked)));
}

awaitable<Outcome> with_elicitation(std::shared_ptr<Call> call) {
    const Asked asked =
        co_await ask(call, {form_question("user_name", "What is your name?", "name")});
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    co_return text_result("Hello, " + field_of(std::get<json::object>(asked), "user_name", "name") +
                          "!");
}

awaitable<Outcome> with_sampling(std::shared_ptr<Call> call) {
    return ask_and_tell(
        std::move(call),
        {sampling_question("capital_question", "What is the capital of France?", 100)},
        StateUse::when_needed, "sampled");
}

awaitable<Outcome> with_roots(std::shared_ptr<Call> call) {
    return ask_and_tell(std::move(call), {roots_question("client_roots")}, StateUse::when_needed,
                        "roots");
}

awaitable<Outcome> with_state(std::shared_ptr<Call> call) {
    return ask_and_tell(std::move(call),
                        {form_question("confirm", "Please confirm", "ok", "boolean")},
                        StateUse::always, "state-ok");
}

awaitable<Outcome> with_several(std::shared_ptr<Call> call) {
    return ask_and_tell(
        std::move(call),
        {form_question("user_name", "What is your name?", "name"),
         sampling_question("greeting", "Generate a greeting", 50), roots_question("client_roots")},
        StateUse::always, "all answered");
}

awaitable<Outcome> with_rounds(std::shared_ptr<Call> call) {
    const Asked first = co_await ask(call, {form_question("step1", "What is your name?", "name")},
                                     StateUse::always);
    if (const auto* outcome = std::get_if<Outcome>(&first)) {
        co_return *outcome;
    }
    const Asked second =
        co_await ask(call, {form_question("step2", "What is your favourite colour?", "color")},
                     StateUse::always);
    if (const auto* outcome = std::get_if<Outcome>(&second)) {
        co_return *outcome;
    }
    co_return text_result(field_of(std::get<json::object>(first), "step1", "name") + " likes " +
                          field_of(std::get<json::object>(second), "step2", "color") + ".");
}

awaitable<Outcome> by_capability(std::shared_ptr<Call> call) {
    std::vector<Question> questions{form_question("user_name", "What is your name?", "name"),
                                    sampling_question("greeting", "Generate a greeting", 50),
                                    roots_question("client_roots")};
    std::erase_if(questions,
                  [&](const Question& question) { return !can_answer(*call, question); });
    return ask_and_tell(std::move(call), std::move(questions), StateUse::when_needed, "answered");
}

}  // namespace

std::vector<Tool> input_required_tools() {
    return {
        make_tool("test_input_required_result_elicitation", {"Asks for a name."}, with_elicitation),
        make_tool("test_input_required_result_sampling", {"Asks the client's model."},
                  with_sampling),
        make_tool("test_input_required_result_list_roots", {"Asks for the roots."}, with_roots),
        make_tool("test_input_required_result_request_state", {"Asks, and carries a state."},
                  with_state),
        make_tool("test_input_required_result_multiple_inputs", {"Asks three things at once."},
                  with_several),
        make_tool("test_input_required_result_multi_round", {"Asks one thing after another."},
                  with_rounds),
        make_tool("test_input_required_result_tampered_state",
                  {"Asks, and refuses a state that was changed."}, with_state),
        make_tool("test_input_required_result_capabilities",
                  {"Asks only what the client can answer."}, by_capability),
    };
}

}  // namespace holdfast::fixture
