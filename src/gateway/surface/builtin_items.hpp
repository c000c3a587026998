#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent.hpp"
#include "agents/agent_session.hpp"
#include "net/loop.hpp"
#include "surface/callable.hpp"

// Tools and resources that the gateway serves itself, in addition to those of the downstreams. They
// have no circuit and no policy, and take precedence over the downstreams' items. A downstream's
// tool with the same name is exposed as `server__tool`.

namespace holdfast::surface {

/// A request for a built-in tool or resource.
struct BuiltinCall {
    std::shared_ptr<const agents::Agent> agent = {};
    std::shared_ptr<agents::AgentSession> session = {};  ///< Null for a modern request over HTTP.
    std::string arguments = "{}";                        ///< JSON that matches the tool's schema.
    net::OwningLoop loop = {};
};

/// The JSON object of a `tools/call` or `resources/read`. Nothing if the request was cancelled or
/// the gateway has ended.
using BuiltinResult = std::optional<std::string>;

/// Handles a call on its loop. Must not block.
using BuiltinWork = std::function<boost::asio::awaitable<BuiltinResult>(BuiltinCall)>;

/// How many tools a server lists.
struct ServerTools {
    std::string_view server = {};
    std::size_t count = 0;
};

struct BuiltinTool {
    enum class Listed : std::uint8_t {
        always,
        when_searched,  ///< Listed only while agents search for tools; callable in any mode.
    };

    std::string name = {};
    std::string definition = {};  ///< JSON, as in `tools/list`.
    /// Empty for a tool whose arguments name another tool and its arguments: the dispatcher then
    /// runs that tool as if it had been called directly.
    BuiltinWork run = {};
    Listed listed = Listed::always;
    /// Returns the definition for a surface with these tools; empty = `definition`.
    std::function<std::string(std::span<const ServerTools> servers)> describe = {};
};

struct BuiltinResource {
    std::string uri = {};
    std::string definition = {};  ///< JSON, as in `resources/list`.
    BuiltinWork read = {};
};

/// The items that the gateway offers itself. A snapshot that never changes.
///
/// Thread-safety: immutable; share it.
class BuiltinItems final {
public:
    struct Tool {
        BuiltinTool own = {};
        Callable callable = {};  ///< Without a server; validates the arguments.
    };

    /// Names and URIs must be unique.
    BuiltinItems(std::vector<BuiltinTool> tools, std::vector<BuiltinResource> resources);
    BuiltinItems(const BuiltinItems&) = delete;
    BuiltinItems& operator=(const BuiltinItems&) = delete;

    /// Returns null if there is no item with this name.
    [[nodiscard]] const Tool* find_tool(std::string_view name) const;
    [[nodiscard]] const BuiltinResource* find_resource(std::string_view uri) const;

    [[nodiscard]] std::span<const Tool> tools() const noexcept { return tools_; }
    [[nodiscard]] std::span<const BuiltinResource> resources() const noexcept { return resources_; }
    /// The names that tools of downstreams must not have.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::vector<Tool> tools_;  // the schemas refer to the definitions
    const std::vector<BuiltinResource> resources_;
};

}  // namespace holdfast::surface
