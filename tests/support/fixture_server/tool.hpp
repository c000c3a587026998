#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "mcp/header_params.hpp"
#include "support/fixture_server/call.hpp"
#include "support/fixture_server/outcome.hpp"

namespace holdfast::fixture {

/// For tools that answer immediately.
using PlainTool = Outcome (*)(Call&);
/// For tools that wait, ask or report progress.
using WaitingTool = boost::asio::awaitable<Outcome> (*)(std::shared_ptr<Call>);

struct Tool {
    std::string name = {};
    std::string definition = {};  ///< JSON, as listed.
    std::variant<PlainTool, WaitingTool> handler = PlainTool{nullptr};
    std::vector<mcp::HeaderParam> header_params = {};  ///< From its schema.
};

/// The description and the parameters of a tool.
struct ToolShape {
    std::string_view description = {};
    std::string_view properties = {};  ///< The inside of the schema's `properties`, as JSON.
    std::string_view required = {};    ///< The inside of its `required`, as JSON.
};

[[nodiscard]] Tool make_tool(std::string_view name, const ToolShape& shape,
                             std::variant<PlainTool, WaitingTool> handler);
/// A tool whose definition is given completely, including its name.
[[nodiscard]] Tool make_defined_tool(std::string_view name, std::string_view definition,
                                     std::variant<PlainTool, WaitingTool> handler);

// The tools by purpose; each file has one group.
[[nodiscard]] std::vector<Tool> content_tools();         // what a result may hold
[[nodiscard]] std::vector<Tool> notifying_tools();       // logs, progress, changed lists
[[nodiscard]] std::vector<Tool> asking_tools();          // questions, in the style of each era
[[nodiscard]] std::vector<Tool> input_required_tools();  // questions over several rounds
[[nodiscard]] std::vector<Tool> echoing_tools();         // what arrived, byte by byte
[[nodiscard]] std::vector<Tool> troubled_tools();        // slow, silent and broken ones

/// One of many tools with the schema of a realistic API. `index` counts from 1.
[[nodiscard]] Tool generated_tool(std::size_t index);
/// A tool that returns only its name; for lists that change.
[[nodiscard]] Tool added_tool(std::string_view name);
/// A tool without a description, which is legal and common.
[[nodiscard]] Tool undescribed_tool();
/// A tool whose schema is invalid.
[[nodiscard]] Tool broken_schema_tool();

}  // namespace holdfast::fixture
