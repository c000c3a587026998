#include "dispatch/search_tools.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>

#include "dispatch/gateway.hpp"
#include "dispatch/unknown_tool.hpp"
#include "surface/found_tools.hpp"

namespace holdfast::dispatch {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::string_view kFindDefinition =
    R"({"name":"find_tools","description":"Find tools for a task. Describe the task in plain )"
    R"(words. Returns the best matching tools with their parameters, ready to be called.",)"
    R"("inputSchema":{"type":"object","properties":{"query":{"type":"string",)"
    R"("description":"The task, in plain words."},"limit":{"type":"integer","minimum":1,)"
    R"("maximum":50,"description":"Maximum number of tools."}},"required":["query"]},)"
    R"("annotations":{"readOnlyHint":true,"openWorldHint":false}})";

constexpr std::string_view kCallDefinition =
    R"({"name":"call_tool","description":"Call a tool returned by find_tools. Returns the )"
    R"(tool's own result.","inputSchema":{"type":"object","properties":{"name":{"type":"string",)"
    R"("description":"Name of the tool, as find_tools returned it."},"arguments":{"type":"object",)"
    R"("description":"Arguments of that tool."},"debug":{"type":"boolean",)"
    R"("description":"Return all details if the call fails."}},"required":["name"]}})";

constexpr std::string_view kDescribeDefinition =
    R"({"name":"describe_tool","description":"Get the full definition of a tool: its )"
    R"(description and its parameters.","inputSchema":{"type":"object","properties":{"name":)"
    R"({"type":"string","description":"Name of the tool."}},"required":["name"]},)"
    R"("annotations":{"readOnlyHint":true,"openWorldHint":false}})";

json::object parsed_arguments(const std::string& text) {
    json::error_code error;
    json::value value = json::parse(text, error);
    return !error && value.is_object() ? std::move(value.get_object()) : json::object{};
}

std::string text_in(const json::object& arguments, std::string_view key) {
    const json::value* value = arguments.if_contains(key);
    return value != nullptr && value->is_string()
               ? std::string{value->get_string().begin(), value->get_string().end()}
               : std::string{};
}

// The schema allows whole numbers only, but those may be written as 5.0.
std::optional<std::size_t> count_in(const json::object& arguments, std::string_view key) {
    const json::value* value = arguments.if_contains(key);
    if (value == nullptr || !value->is_number()) {
        return std::nullopt;
    }
    json::error_code error;
    const auto count = value->to_number<std::uint32_t>(error);
    return error ? std::nullopt : std::optional<std::size_t>{count};
}

/// Returns the gateway once every server has listed its tools or the time limit has passed, as in
/// tools/list. Null if the gateway has ended or the request was cancelled.
asio::awaitable<std::shared_ptr<Gateway>> settled(std::weak_ptr<Gateway> gateway,
                                                  net::OwningLoop loop) {
    auto alive = gateway.lock();
    if (!alive) {
        co_return nullptr;
    }
    auto wait = alive->startup_barrier().wait(loop);
    alive.reset();  // A request that waits must not keep the gateway alive.
    const bool is_over = co_await std::move(wait);
    co_return is_over ? gateway.lock() : nullptr;
}

asio::awaitable<surface::BuiltinResult> find(std::weak_ptr<Gateway> gateway,
                                             surface::BuiltinCall call) {
    auto alive = co_await settled(gateway, call.loop);
    if (!alive) {
        co_return std::nullopt;
    }
    const json::object arguments = parsed_arguments(call.arguments);
    auto search = alive->router().find({.agent = agent_key(*call.agent, call.session.get()),
                                        .text = text_in(arguments, "query"),
                                        .limit = count_in(arguments, "limit"),
                                        .surface = alive->surface(),
                                        .now = call.loop.timekeeper->now()},
                                       call.loop);
    alive.reset();
    const auto answer = co_await std::move(search);
    alive = gateway.lock();
    if (!answer || !alive) {
        co_return std::nullopt;
    }
    if (answer->is_new_list && answer->surface->mode() == surface::SurfaceMode::routed) {
        // Posted, so that the agent gets the answer first.
        asio::post(call.loop.executor, [gateway, agent = call.agent, session = call.session] {
            if (const auto still_alive = gateway.lock()) {
                still_alive->tell_routed(*agent, session);
            }
        });
    }
    co_return surface::found_tools_result(*answer, alive->router().options());
}

asio::awaitable<surface::BuiltinResult> describe(std::weak_ptr<Gateway> gateway,
                                                 surface::BuiltinCall call) {
    const auto alive = co_await settled(std::move(gateway), call.loop);
    if (!alive) {
        co_return std::nullopt;
    }
    const std::string name = text_in(parsed_arguments(call.arguments), "name");
    const auto surface = alive->surface();
    if (const auto definition = surface->definition_of(name, call.agent->era())) {
        co_return surface::described_tool_result(*definition);
    }
    const std::size_t count = alive->options().surface.suggested_names;
    co_return surface::error_result(
        unknown_name_words("tool", name, surface->nearest_tools(name, count)));
}

}  // namespace

std::vector<surface::BuiltinTool> search_tools(const std::weak_ptr<Gateway>& gateway) {
    return {
        {.name = std::string{kFindTools},
         .definition = std::string{kFindDefinition},
         .run = [gateway](surface::BuiltinCall call) { return find(gateway, std::move(call)); },
         .listed = surface::BuiltinTool::Listed::when_searched},
        {.name = std::string{kCallTool},
         .definition = std::string{kCallDefinition},
         .listed = surface::BuiltinTool::Listed::when_searched},
        {.name = std::string{kDescribeTool},
         .definition = std::string{kDescribeDefinition},
         .run = [gateway](surface::BuiltinCall call) { return describe(gateway, std::move(call)); },
         .listed = surface::BuiltinTool::Listed::when_searched}};
}

}  // namespace holdfast::dispatch
