#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent.hpp"
#include "agents/agent_session.hpp"
#include "net/loop.hpp"
#include "surface/callable.hpp"

// Tools and resources that the gateway serves itself, beside those of the downstreams. They have no
// circuit and no policy; the desk finds them before the downstreams'. A tool of a downstream that
// would have the same name is exposed as `server__tool`.

namespace holdfast::surface {

/// A request for a tool or a resource of the gateway's own.
struct BuiltinCall {
    std::shared_ptr<const agents::Agent> agent = {};
    std::shared_ptr<agents::AgentSession> session = {};  ///< Null for a modern request over HTTP.
    std::string arguments = "{}";                        ///< JSON that fits the tool's schema.
    net::OwningLoop loop = {};
    /// Takes the result, as the JSON object of a `tools/call` or `resources/read`. From any thread.
    /// Counts once: what comes later, or after the agent has gone, is dropped.
    std::function<void(std::string result)> finish = {};
};

/// Works on a call, on its loop. It must not block; the result may come later.
using BuiltinWork = std::function<void(BuiltinCall)>;

struct BuiltinTool {
    enum class Listed : std::uint8_t {
        always,
        when_searched,  ///< Only while agents find tools by searching; it can be called always.
    };

    std::string name = {};
    std::string definition = {};  ///< JSON, as in `tools/list`.
    /// Empty for a tool whose arguments name another tool and what to call it with: the desk goes
    /// on with that one, as if it had been called directly.
    BuiltinWork run = {};
    Listed listed = Listed::always;
};

struct BuiltinResource {
    std::string uri = {};
    std::string definition = {};  ///< JSON, as in `resources/list`.
    BuiltinWork read = {};
};

/// What the gateway offers itself. A snapshot: it never changes.
///
/// Thread-safety: immutable; share it.
class BuiltinItems final {
public:
    struct Tool {
        BuiltinTool own = {};
        Callable callable = {};  ///< Without a server; checks the arguments.
    };

    /// Requires names and uris that are not there twice.
    BuiltinItems(std::vector<BuiltinTool> tools, std::vector<BuiltinResource> resources);
    BuiltinItems(const BuiltinItems&) = delete;
    BuiltinItems& operator=(const BuiltinItems&) = delete;

    /// Null if there is none of that name.
    [[nodiscard]] const Tool* find_tool(std::string_view name) const;
    [[nodiscard]] const BuiltinResource* find_resource(std::string_view uri) const;

    [[nodiscard]] std::span<const Tool> tools() const noexcept { return tools_; }
    [[nodiscard]] std::span<const BuiltinResource> resources() const noexcept { return resources_; }
    /// Which names tools of downstreams must not have.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::vector<Tool> tools_;  // the checks refer to their definitions
    const std::vector<BuiltinResource> resources_;
};

}  // namespace holdfast::surface
