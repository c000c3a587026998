#include "support/fixture_server/asking.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <boost/json/serialize.hpp>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"
#include "support/fixture_server/request_state.hpp"
#include "support/fixture_server/session.hpp"

namespace holdfast::fixture {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::chrono::milliseconds kAnswerWait = std::chrono::minutes{2};

std::string_view capability_for(const Question& question) {
    return question.method.substr(0, question.method.find('/'));
}

/// Ends a request whose question the client could not answer.
Outcome unanswered(const Call& call, std::string text) {
    if (call.method() == "tools/call") {
        return failed_result(text);
    }
    return Refusal{.code = mcp::kInternalError, .message = std::move(text)};
}

/// Returns whether a value has the shape of an answer to that question. A client that sends
/// something else is asked again.
bool is_answer(const Question& question, const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) {
        return false;
    }
    if (question.method == "elicitation/create") {
        const json::value* action = object->if_contains("action");
        return action != nullptr && action->is_string();
    }
    return object->contains(question.method == "roots/list" ? "roots" : "content");
}

/// Returns what the client has answered so far, in this round and in earlier ones.
std::variant<json::object, Refusal> answers_in(Call& call, StateUse use) {
    const json::object& params = call.params();
    const json::value* state = params.if_contains("requestState");
    json::object answers;
    if (state != nullptr) {
        auto opened = state->is_string() ? opened_state(state->get_string()) : std::nullopt;
        if (!opened) {
            return invalid_params("Invalid params: requestState is not one of ours");
        }
        answers = *std::move(opened);
    }
    const json::value* responses = params.if_contains("inputResponses");
    if (responses == nullptr || (use == StateUse::always && state == nullptr)) {
        return answers;
    }
    if (!responses->is_object()) {
        return invalid_params("Invalid params: inputResponses must be an object");
    }
    for (const auto& [key, value] : responses->get_object()) {
        answers.insert_or_assign(key, value);
    }
    return answers;
}

Asked ask_by_result(Call& call, const std::vector<Question>& questions, StateUse use) {
    auto given = answers_in(call, use);
    if (auto* refusal = std::get_if<Refusal>(&given)) {
        return Outcome{std::move(*refusal)};
    }
    const auto& answers = std::get<json::object>(given);
    json::object known = answers;
    std::string open;
    for (const Question& question : questions) {
        const json::value* answer = answers.if_contains(question.key);
        if (answer != nullptr && is_answer(question, *answer)) {
            continue;
        }
        known.erase(question.key);
        open += (open.empty() ? "" : ",") + jsonrpc::quoted_text(question.key) + R"(:{"method":)" +
                jsonrpc::quoted_text(question.method) + R"(,"params":)" + question.params + "}";
    }
    if (open.empty()) {
        return answers;
    }
    std::string result = R"({"inputRequests":{)" + open + "}";
    if (use == StateUse::always || !known.empty()) {
        result += R"(,"requestState":)" + jsonrpc::quoted_text(sealed_state(known));
    }
    return Outcome{Answer{.result = result + "}", .type = "input_required"}};
}

/// The answers that the listeners of one `ask` have collected; shared with them, because an answer
/// may arrive after the wait.
struct Collected {
    json::object answers = {};
    std::optional<json::object> error = std::nullopt;
};

asio::awaitable<Asked> ask_by_requests(std::shared_ptr<Call> call,
                                       std::vector<Question> questions) {
    const auto collected = std::make_shared<Collected>();
    std::vector<std::string> ids;
    for (const Question& question : questions) {
        const auto on_answer = [collected, key = question.key, weak = std::weak_ptr{call}](
                                   json::object answer, bool is_error) {
            if (is_error) {
                collected->error = std::move(answer);
            } else {
                collected->answers.insert_or_assign(key, std::move(answer));
            }
            if (const auto waiting = weak.lock()) {
                waiting->wake();
            }
        };
        ids.push_back(call->session().expect_answer(on_answer));
        call->outlet()->send(jsonrpc::request_text(ids.back(), question.method, question.params));
    }
    bool is_in_time = true;
    while (is_in_time && !call->is_over() && !collected->error &&
           collected->answers.size() < questions.size()) {
        is_in_time = co_await call->woken_within(kAnswerWait);
    }
    for (const std::string& id : ids) {
        call->session().forget_answer(id);
    }
    if (collected->error) {
        co_return unanswered(
            *call, "The client answered with an error: " + json::serialize(*collected->error));
    }
    if (collected->answers.size() < questions.size()) {
        co_return unanswered(*call, "The client did not answer.");
    }
    co_return std::move(collected->answers);
}

}  // namespace

Question form_question(std::string_view key, std::string_view message, std::string_view field,
                       std::string_view type) {
    const std::string name = jsonrpc::quoted_text(field);
    return schema_question(key, message,
                           R"({"type":"object","properties":{)" + name + R"(:{"type":)" +
                               jsonrpc::quoted_text(type) + R"(}},"required":[)" + name + "]}");
}

Question schema_question(std::string_view key, std::string_view message, std::string_view schema) {
    return {.key = std::string{key},
            .params = R"({"message":)" + jsonrpc::quoted_text(message) + R"(,"requestedSchema":)" +
                      std::string{schema} + "}"};
}

Question sampling_question(std::string_view key, std::string_view prompt, int max_tokens) {
    return {.key = std::string{key},
            .method = "sampling/createMessage",
            .params = R"({"messages":[{"role":"user","content":{"type":"text","text":)" +
                      jsonrpc::quoted_text(prompt) + R"(}}],"maxTokens":)" +
                      std::to_string(max_tokens) + "}"};
}

Question roots_question(std::string_view key) {
    return {.key = std::string{key}, .method = "roots/list"};
}

bool can_answer(Call& call, const Question& question) {
    return call.client_capabilities().contains(capability_for(question));
}

Outcome missing_capability(Call& call, std::string_view capability) {
    if (!call.is_modern()) {
        return unanswered(call, "The client does not support " + std::string{capability} + ".");
    }
    return Refusal{
        .code = mcp::kMissingClientCapability,
        .message = "Missing required client capability: " + std::string{capability},
        .data = R"({"requiredCapabilities":{)" + jsonrpc::quoted_text(capability) + ":{}}}",
        .http_status = 400};
}

asio::awaitable<Asked> ask(std::shared_ptr<Call> call, std::vector<Question> questions,
                           StateUse use) {
    const auto unanswerable = std::ranges::find_if(
        questions, [&](const Question& question) { return !can_answer(*call, question); });
    if (unanswerable != questions.end()) {
        co_return missing_capability(*call, capability_for(*unanswerable));
    }
    if (call->is_modern()) {
        co_return ask_by_result(*call, questions, use);
    }
    co_return co_await ask_by_requests(std::move(call), std::move(questions));
}

}  // namespace holdfast::fixture
