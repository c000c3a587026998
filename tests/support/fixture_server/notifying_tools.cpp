#include <chrono>
#include <tuple>

#include <boost/asio/awaitable.hpp>

#include "support/fixture_server/audience.hpp"
#include "support/fixture_server/server.hpp"
#include "support/fixture_server/tool.hpp"
#include "support/fixture_server/toolbox.hpp"

namespace holdfast::fixture {
namespace {

using namespace std::chrono_literals;

boost::asio::awaitable<Outcome> with_logging(std::shared_ptr<Call> call) {
    call->log("info", "Tool execution started");
    std::ignore = co_await call->wait(50ms);  // a cancelled call logs nothing, so it may continue
    call->log("info", "Tool processing data");
    std::ignore = co_await call->wait(50ms);
    call->log("info", "Tool execution completed");
    co_return text_result("Tool with logging executed successfully");
}

boost::asio::awaitable<Outcome> with_progress(std::shared_ptr<Call> call) {
    call->progress(0, 100);
    std::ignore = co_await call->wait(50ms);  // as above
    call->progress(50, 100);
    std::ignore = co_await call->wait(50ms);
    call->progress(100, 100);
    co_return text_result("Tool with progress executed successfully");
}

boost::asio::awaitable<Outcome> progress(std::shared_ptr<Call> call) {
    const std::size_t steps = number_in(call->arguments(), "steps", 3);
    const std::chrono::milliseconds pause{number_in(call->arguments(), "ms", 10)};
    for (std::size_t step = 1; step <= steps; ++step) {
        if (!co_await call->wait(pause)) {
            break;
        }
        call->progress(step, steps);
    }
    co_return text_result("Made " + std::to_string(steps) + " steps.");
}

Outcome logging_tool(Call& call) {
    call.log("info", "The logging tool ran");
    return text_result("Logged.");
}

Outcome emit_log(Call& call) {
    call.log(string_in(call.arguments(), "level", "info"), string_in(call.arguments(), "text"));
    return text_result("Logged.");
}

Outcome trigger_tool_change(Call& call) {
    call.server().audience().announce(Change::tools);
    return text_result("Announced that the tools have changed.");
}

Outcome trigger_prompt_change(Call& call) {
    call.server().audience().announce(Change::prompts);
    return text_result("Announced that the prompts have changed.");
}

Outcome trigger_resource_change(Call& call) {
    call.server().audience().announce(Change::resources);
    return text_result("Announced that the resources have changed.");
}

Outcome touch_resource(Call& call) {
    const std::string uri = string_in(call.arguments(), "uri", "test://watched-resource");
    call.server().audience().announce_update(uri);
    return text_result("Touched " + uri + ".");
}

Outcome end_listens(Call& call) {
    call.server().audience().end_listens();
    return text_result("Ended all subscriptions.");
}

Outcome add_tool(Call& call) {
    const std::string name = string_in(call.arguments(), "name");
    if (!call.server().tools().try_add(added_tool(name))) {
        return failed_result("There is a tool of that name, or there are too many.");
    }
    call.server().audience().announce(Change::tools);
    return text_result("Added " + name + ".");
}

Outcome remove_tool(Call& call) {
    const std::string name = string_in(call.arguments(), "name");
    if (!call.server().tools().remove(name)) {
        return failed_result("There is no tool " + name + ".");
    }
    call.server().audience().announce(Change::tools);
    return text_result("Removed " + name + ".");
}

}  // namespace

std::vector<Tool> notifying_tools() {
    constexpr std::string_view kName = R"("name":{"type":"string"})";
    return {
        make_tool("test_tool_with_logging", {"Logs three times."}, with_logging),
        make_tool("test_tool_with_progress", {"Reports progress three times."}, with_progress),
        make_tool("test_logging_tool", {"Logs once."}, logging_tool),
        make_tool("progress",
                  {"Reports progress the given number of times.",
                   R"("steps":{"type":"integer"},"ms":{"type":"integer"})"},
                  progress),
        make_tool("emit_log",
                  {"Logs a text.", R"("level":{"type":"string"},"text":{"type":"string"})"},
                  emit_log),
        make_tool("test_trigger_tool_change", {"Announces changed tools."}, trigger_tool_change),
        make_tool("test_trigger_prompt_change", {"Announces changed prompts."},
                  trigger_prompt_change),
        make_tool("test_trigger_resource_change", {"Announces changed resources."},
                  trigger_resource_change),
        make_tool("touch_resource",
                  {"Announces that a resource was updated.", R"("uri":{"type":"string"})"},
                  touch_resource),
        make_tool("end_listens", {"Ends all modern subscriptions politely."}, end_listens),
        make_tool("add_tool", {"Adds a tool.", kName, R"("name")"}, add_tool),
        make_tool("remove_tool", {"Removes a tool.", kName, R"("name")"}, remove_tool),
    };
}

}  // namespace holdfast::fixture
