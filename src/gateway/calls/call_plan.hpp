#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent_request.hpp"
#include "calls/input_round.hpp"
#include "downstream/request.hpp"
#include "guard/call_rules.hpp"
#include "holdfast/resilience/time.hpp"
#include "surface/surface.hpp"

namespace holdfast::calls {

/// The request to send, its downstream, and the rules from the server's guard.
struct CallPlan {
    std::shared_ptr<const surface::Surface> surface = {};  ///< Keeps `server` and `callable` alive.
    const surface::Server* server = nullptr;
    const surface::Callable* callable = nullptr;  ///< Null for resources.
    std::string uri = {};                         ///< Of a resource.
    downstream::Request request = {};
    std::shared_ptr<const guard::CallRules> rules = {};
    bool is_safe = false;        ///< The call may be repeated.
    bool is_read = false;        ///< The call changes nothing.
    bool wants_call_id = false;  ///< Also in results without a failure.
    /// How the gateway chose this target, for the record of the call.
    std::string_view route = {};
    /// Length of the answers to a modern server's questions, the end of `request.params_members`.
    std::size_t input_bytes = 0;

    [[nodiscard]] bool is_tool_call() const noexcept { return request.method == "tools/call"; }
    /// The params without answers to questions.
    [[nodiscard]] std::string_view agent_params() const noexcept {
        const std::string_view params = request.params_members;
        return params.substr(0, params.size() - input_bytes);
    }

    /// Sends a tool call to this tool, under its rules.
    void retarget(const surface::Callable& tool,
                  std::shared_ptr<const guard::CallRules> tool_rules);
    /// Writes the name of the tool into the params, and removes answers to questions from them.
    void rename();
    /// Replaces the answers to a modern server's questions, for calling the server again.
    /// `state` is JSON as the server wrote it; empty = none.
    void set_input(const Members& answers, std::string_view state);
};

/// Returns everything that makes two calls identical, the agent included. Must not be shown: it may
/// hold secrets.
[[nodiscard]] std::string identity_of_call(const agents::AgentRequest& origin,
                                           const CallPlan& plan);

/// Whether a tool can be called now: its server is connected, and its circuit admits calls.
[[nodiscard]] bool is_healthy(const surface::Callable& tool, resilience::TimePoint now);

}  // namespace holdfast::calls
