#include "dispatch/search_tools.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>

#include "dispatch/gateway.hpp"
#include "dispatch/unknown_tool.hpp"
#include "net/run_on.hpp"
#include "surface/found_tools.hpp"

namespace holdfast::dispatch {
namespace {

namespace json = boost::json;

constexpr std::string_view kFindDefinition =
    R"({"name":"find_tools","description":"Find tools for a task. Say in plain words what you )"
    R"(want to do; you get the tools that fit best, with their parameters, ready to be called.",)"
    R"("inputSchema":{"type":"object","properties":{"query":{"type":"string",)"
    R"("description":"What you want to do."},"limit":{"type":"integer","minimum":1,"maximum":50,)"
    R"("description":"How many tools at most."}},"required":["query"]},)"
    R"("annotations":{"readOnlyHint":true,"openWorldHint":false}})";

constexpr std::string_view kCallDefinition =
    R"({"name":"call_tool","description":"Call a tool that find_tools found. Its result is that )"
    R"(of the tool itself.","inputSchema":{"type":"object","properties":{"name":{"type":"string",)"
    R"("description":"The tool's name, as it was found."},"arguments":{"type":"object",)"
    R"("description":"The tool's own arguments."},"debug":{"type":"boolean",)"
    R"("description":"Show all details if the call fails."}},"required":["name"]}})";

constexpr std::string_view kDescribeDefinition =
    R"({"name":"describe_tool","description":"Get the full definition of a tool: all that it )"
    R"(says of itself, and its parameters.","inputSchema":{"type":"object","properties":{"name":)"
    R"({"type":"string","description":"The tool's name."}},"required":["name"]},)"
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

void find(const std::shared_ptr<Gateway>& gateway, const surface::BuiltinCall& call) {
    const json::object arguments = parsed_arguments(call.arguments);
    const std::weak_ptr<Gateway> weak = gateway;
    gateway->router().find(
        {.agent = agent_key(*call.agent, call.session.get()),
         .text = text_in(arguments, "query"),
         .limit = count_in(arguments, "limit"),
         .surface = gateway->surface(),
         .now = call.loop.timekeeper->now()},
        [weak, agent = call.agent, session = call.session,
         finish = call.finish](const surface::RouterAnswer& answer) {
            const auto alive = weak.lock();
            if (!alive) {
                return;
            }
            finish(surface::found_tools_result(answer, alive->router().options()));
            if (answer.is_new_list && answer.surface->mode() == surface::SurfaceMode::routed) {
                alive->tell_routed(*agent, session);
            }
        });
}

void describe(const Gateway& gateway, const surface::BuiltinCall& call) {
    const std::string name = text_in(parsed_arguments(call.arguments), "name");
    const auto surface = gateway.surface();
    if (const auto definition = surface->definition_of(name, call.agent->era())) {
        call.finish(surface::described_tool_result(*definition));
        return;
    }
    const std::size_t count = gateway.options().surface.suggested_names;
    call.finish(surface::error_result(
        unknown_name_words("tool", name, surface->nearest_tools(name, count))));
}

}  // namespace

std::vector<surface::BuiltinTool> search_tools(const std::weak_ptr<Gateway>& gateway) {
    // A list of a server that is about to tell of its tools is waited for, as in tools/list.
    const auto when_settled = [gateway](surface::BuiltinCall call, auto work) {
        if (const auto alive = gateway.lock()) {
            const net::OwningLoop loop = call.loop;
            alive->startup_barrier().when_over(loop, [gateway, call = std::move(call), work] {
                if (const auto still_alive = gateway.lock()) {
                    work(still_alive, call);
                }
            });
        }
    };
    return {
        {.name = std::string{kFindTools},
         .definition = std::string{kFindDefinition},
         .run = [when_settled](surface::BuiltinCall call) { when_settled(std::move(call), find); },
         .listed = surface::BuiltinTool::Listed::when_searched},
        {.name = std::string{kCallTool},
         .definition = std::string{kCallDefinition},
         .listed = surface::BuiltinTool::Listed::when_searched},
        {.name = std::string{kDescribeTool},
         .definition = std::string{kDescribeDefinition},
         .run =
             [when_settled](surface::BuiltinCall call) {
                 when_settled(std::move(call), [](const std::shared_ptr<Gateway>& alive,
                                                  const surface::BuiltinCall& settled) {
                     describe(*alive, settled);
                 });
             },
         .listed = surface::BuiltinTool::Listed::when_searched}};
}

}  // namespace holdfast::dispatch
