#include "support/fixture_server/prompts.hpp"

#include <array>
#include <string>
#include <string_view>

#include <boost/json/serialize.hpp>

#include "jsonrpc/json_text.hpp"
#include "support/fixture_server/asking.hpp"
#include "support/fixture_server/samples.hpp"

namespace holdfast::fixture {
namespace {

namespace json = boost::json;

constexpr std::string_view kAskingPrompt = "test_input_required_result_prompt";

std::string user_text(std::string_view text) {
    return R"({"role":"user","content":{"type":"text","text":)" + jsonrpc::quoted_text(text) + "}}";
}

Answer messages(const std::string& inside) {
    return {.result = R"({"messages":[)" + inside + "]}"};
}

Outcome with_arguments(Call& call) {
    const json::object& arguments = call.arguments();
    if (!arguments.contains("arg1") || !arguments.contains("arg2")) {
        return invalid_params("Invalid params: arg1 and arg2 are required");
    }
    return messages(user_text("Prompt with arguments: arg1='" + string_in(arguments, "arg1") +
                              "', arg2='" + string_in(arguments, "arg2") + "'"));
}

Outcome with_resource(Call& call) {
    const std::string uri = string_in(call.arguments(), "resourceUri", "test://static-text");
    return messages(R"({"role":"user","content":{"type":"resource","resource":{"uri":)" +
                    jsonrpc::quoted_text(uri) +
                    R"(,"mimeType":"text/plain","text":"Embedded resource content"}}},)" +
                    user_text("Please process the embedded resource above."));
}

Outcome with_image() {
    return messages(R"({"role":"user","content":{"type":"image","data":")" +
                    std::string{kPngBase64} + R"(","mimeType":"image/png"}},)" +
                    user_text("Please analyze the image above."));
}

Outcome plain_prompt(Call& call, const std::string& name) {
    if (name == "test_simple_prompt") {
        return messages(user_text("This is a simple prompt for testing."));
    }
    if (name == "test_prompt_with_arguments") {
        return with_arguments(call);
    }
    if (name == "test_prompt_with_embedded_resource") {
        return with_resource(call);
    }
    if (name == "test_prompt_with_image") {
        return with_image();
    }
    return invalid_params("Invalid params: unknown prompt " + name);
}

}  // namespace

Answer prompt_list() {
    return {.result =
                R"({"prompts":[{"name":"test_simple_prompt","description":"A simple prompt"},)"
                R"({"name":"test_prompt_with_arguments","description":"A prompt with arguments",)"
                R"("arguments":[{"name":"arg1","description":"First argument","required":true},)"
                R"({"name":"arg2","description":"Second argument","required":true}]},)"
                R"({"name":"test_prompt_with_embedded_resource",)"
                R"("description":"A prompt with a resource","arguments":[{"name":"resourceUri",)"
                R"("description":"The resource to embed","required":true}]},)"
                R"({"name":"test_prompt_with_image","description":"A prompt with an image"},)"
                R"({"name":"test_input_required_result_prompt",)"
                R"("description":"A prompt that asks for its context"}]})"};
}

boost::asio::awaitable<Outcome> get_prompt(std::shared_ptr<Call> call) {
    const std::string name = string_in(call->params(), "name");
    if (name != kAskingPrompt) {
        co_return plain_prompt(*call, name);
    }
    const Asked asked = co_await ask(
        call, {form_question("user_context", "What context should the prompt use?", "context")});
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    co_return messages(
        user_text("Context: " + json::serialize(std::get<json::object>(asked).at("user_context"))));
}

Outcome complete(Call& call) {
    constexpr std::array<std::string_view, 4> kWords{"paris", "park", "party", "testValue1"};
    const json::value* argument = call.params().if_contains("argument");
    if (argument == nullptr || !argument->is_object()) {
        return invalid_params("Invalid params: argument must be an object");
    }
    const std::string begin = string_in(argument->get_object(), "value");
    json::array values;
    for (const std::string_view word : kWords) {
        if (word.starts_with(begin)) {
            values.emplace_back(word);
        }
    }
    const std::size_t total = values.size();
    return Answer{
        .result = json::serialize(json::object{
            {"completion",
             json::object{{"values", std::move(values)}, {"total", total}, {"hasMore", false}}}})};
}

}  // namespace holdfast::fixture
