#include "support/fixture_server/tool.hpp"

#include <array>
#include <utility>

#include "jsonrpc/json_text.hpp"
#include "support/fixture_server/session.hpp"

namespace holdfast::fixture {
namespace {

Outcome say_name(Call& call) {
    return text_result("This is " + string_in(call.params(), "name") + ".");
}

std::string padded_number(std::size_t index) {
    const std::string digits = std::to_string(index);
    return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

}  // namespace

Tool make_tool(std::string_view name, const ToolShape& shape,
               std::variant<PlainTool, WaitingTool> handler) {
    std::string definition = R"({"name":)" + jsonrpc::quoted_text(name) + R"(,"description":)" +
                             jsonrpc::quoted_text(shape.description) +
                             R"(,"inputSchema":{"type":"object")";
    if (!shape.properties.empty()) {
        definition += R"(,"properties":{)" + std::string{shape.properties} + "}";
    }
    if (!shape.required.empty()) {
        definition += R"(,"required":[)" + std::string{shape.required} + "]";
    }
    return make_defined_tool(name, definition + "}}", handler);
}

Tool make_defined_tool(std::string_view name, std::string_view definition,
                       std::variant<PlainTool, WaitingTool> handler) {
    Tool tool{.name = std::string{name}, .definition = std::string{definition}, .handler = handler};
    if (definition.find("x-mcp-header") != std::string_view::npos) {
        auto params = mcp::header_params(object_of(definition)["inputSchema"]);
        tool.header_params = std::move(params).value();
    }
    return tool;
}

Tool generated_tool(std::size_t index) {
    constexpr std::array<std::string_view, 5> kVerbs{"Finds", "Creates", "Updates", "Archives",
                                                     "Summarises"};
    constexpr std::array<std::string_view, 7> kThings{
        "invoices", "customers", "tickets", "deployments", "documents", "calendars", "sensors"};
    const std::string_view thing = kThings[index % kThings.size()];
    const std::string description =
        std::string{kVerbs[index % kVerbs.size()]} + " " + std::string{thing} + " in workspace " +
        std::to_string(index) + ". Returns the records that match, newest first, with their state.";
    const std::string properties =
        R"("query":{"type":"string","description":"Words to look for in )" + std::string{thing} +
        R"(.","maxLength":200},"limit":{"type":"integer","minimum":1,"maximum":100,"default":20},)"
        R"("filter":{"type":"object","properties":{"state":{"type":"string","enum":["open",)"
        R"("closed","any"]},"since":{"type":"string","format":"date-time"},"tags":{"type":"array",)"
        R"("items":{"type":"string"}}}})";
    return make_tool(
        "tool_" + padded_number(index),
        ToolShape{.description = description, .properties = properties, .required = R"("query")"},
        say_name);
}

Tool added_tool(std::string_view name) {
    return make_tool(name, ToolShape{.description = "Added while the server was running."},
                     say_name);
}

Tool undescribed_tool() {
    return make_defined_tool(
        "no_description", R"({"name":"no_description","inputSchema":{"type":"object"}})", say_name);
}

Tool broken_schema_tool() {
    return make_defined_tool(
        "broken_schema",
        R"({"name":"broken_schema","description":"Has an invalid schema.",)"
        R"("inputSchema":{"type":"object","properties":{"n":{"type":"nubmer"}}}})",
        say_name);
}

}  // namespace holdfast::fixture
