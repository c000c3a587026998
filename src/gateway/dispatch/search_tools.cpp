#include "dispatch/search_tools.hpp"

#include <fmt/core.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/counted.hpp"
#include "dispatch/gateway.hpp"
#include "dispatch/unknown_tool.hpp"
#include "jsonrpc/json_text.hpp"
#include "surface/found_tools.hpp"

namespace holdfast::dispatch {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

// Clients with a tool search of their own must not hide these tools.
constexpr std::string_view kFindRest =
    R"("inputSchema":{"type":"object","properties":{"query":{"type":"string",)"
    R"("description":"The task, in plain words."},"server":{"type":"string",)"
    R"("description":"Only tools of this server."},"limit":{"type":"integer","minimum":1,)"
    R"("maximum":50}},"required":["query"]},)"
    R"("annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false},)"
    R"("_meta":{"anthropic/alwaysLoad":true}})";

constexpr std::string_view kCallDefinition =
    R"({"name":"call_tool","description":"Call a tool returned by find_tools. Returns the )"
    R"(tool's own result.","inputSchema":{"type":"object","properties":{"name":{"type":"string",)"
    R"("description":"Name of the tool, as find_tools returned it."},"arguments":{"type":"object",)"
    R"("description":"Arguments of that tool."},"debug":{"type":"boolean",)"
    R"("description":"Return all details if the call fails."}},"required":["name"]},)"
    R"("_meta":{"anthropic/alwaysLoad":true}})";

constexpr std::string_view kDescribeDefinition =
    R"({"name":"describe_tool","description":"Get the description and the whole schema of a )"
    R"(tool.","inputSchema":{"type":"object","properties":{"name":{"type":"string",)"
    R"("description":"Name of the tool."},"path":{"type":"string",)"
    R"("description":"A part of a long schema, such as /properties/filter."}},)"
    R"("required":["name"]},)"
    R"("annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false},)"
    R"("_meta":{"anthropic/alwaysLoad":true}})";

/// The clients that show descriptions cut them at some length.
constexpr std::size_t kMaxServerListBytes = 380;

/// `274 tools on 17 servers: files (14), github (51), … and 9 more.` Servers in their order.
std::string inventory_text(std::span<const surface::ServerTools> servers) {
    std::size_t tools = 0;
    std::size_t listing = 0;
    for (const surface::ServerTools& server : servers) {
        tools += server.count;
        listing += server.count > 0 ? 1 : 0;
    }
    if (tools == 0) {
        return {};
    }
    std::string names;
    std::size_t named = 0;
    for (const surface::ServerTools& server : servers) {
        if (server.count == 0) {
            continue;
        }
        const std::string name = fmt::format("{} ({})", server.server, server.count);
        if (names.size() + name.size() > kMaxServerListBytes) {
            break;
        }
        names.append(names.empty() ? "" : ", ").append(name);
        ++named;
    }
    if (named < listing) {
        names += fmt::format("{}… and {} more", names.empty() ? "" : ", ", listing - named);
    }
    return fmt::format(" {} on {}: {}.", base::counted(tools, "tool"),
                       base::counted(listing, "server"), names);
}

std::string find_definition(std::span<const surface::ServerTools> servers, std::size_t max_tools) {
    const std::string description = fmt::format(
        "Find tools by task.{} Describe the task in plain words; returns up to {} with their "
        "parameters. Call them with call_tool.",
        inventory_text(servers), base::counted(max_tools, "tool"));
    return R"({"name":"find_tools","description":)" + jsonrpc::quoted_text(description) + "," +
           std::string{kFindRest};
}

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
    const auto surface = alive->surface();
    const std::string server = text_in(arguments, "server");
    if (!server.empty() && std::ranges::find(surface->servers(), server, &surface::Server::name) ==
                               surface->servers().end()) {
        co_return surface::error_result(unknown_server_words(server, surface->servers()));
    }
    const json::value* const details = arguments.if_contains("details");
    auto search = alive->router().find(
        {.agent = agent_key(*call.agent, call.session.get()),
         .text = text_in(arguments, "query"),
         .limit = count_in(arguments, "limit"),
         .server = server,
         .is_detailed = details != nullptr && details->is_bool() && details->get_bool(),
         .surface = surface,
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
    const json::object arguments = parsed_arguments(call.arguments);
    const std::string name = text_in(arguments, "name");
    const auto surface = alive->surface();
    if (const auto definition = surface->definition_of(name, call.agent->era())) {
        co_return surface::described_tool_result(*definition, text_in(arguments, "path"));
    }
    const std::size_t count = names_to_compare(alive->options().surface);
    co_return surface::error_result(unknown_name_words(
        "tool", name, surface->nearest_tools(name, count), alive->options().surface));
}

}  // namespace

std::vector<surface::BuiltinTool> search_tools(const std::weak_ptr<Gateway>& gateway) {
    const auto alive = gateway.lock();
    const std::size_t max_tools =
        alive ? alive->options().surface.ladder.max_tools : search::FallbackOptions{}.max_tools;
    return {
        {.name = std::string{kFindTools},
         .definition = find_definition({}, max_tools),
         .run = [gateway](surface::BuiltinCall call) { return find(gateway, std::move(call)); },
         .listed = surface::BuiltinTool::Listed::when_searched,
         .describe =
             [max_tools](std::span<const surface::ServerTools> servers) {
                 return find_definition(servers, max_tools);
             }},
        {.name = std::string{kCallTool},
         .definition = std::string{kCallDefinition},
         .listed = surface::BuiltinTool::Listed::when_searched},
        {.name = std::string{kDescribeTool},
         .definition = std::string{kDescribeDefinition},
         .run = [gateway](surface::BuiltinCall call) { return describe(gateway, std::move(call)); },
         .listed = surface::BuiltinTool::Listed::when_searched}};
}

}  // namespace holdfast::dispatch
