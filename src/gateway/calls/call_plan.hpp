#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent_request.hpp"
#include "calls/call_ids.hpp"
#include "calls/input_round.hpp"
#include "calls/parked_calls.hpp"
#include "calls/secret_registry.hpp"
#include "downstream/request.hpp"
#include "guard/call_rules.hpp"
#include "holdfast/resilience/time.hpp"
#include "record/records.hpp"
#include "surface/surface.hpp"

namespace holdfast::calls {

class CallMemory;
class ReadSharing;
class SuggestedTools;

/// Which request goes to which downstream. The rules come from the server's guard.
struct CallPlan {
    std::shared_ptr<const surface::Surface> surface = {};  ///< Keeps `server` and `callable` alive.
    const surface::Server* server = nullptr;
    const surface::Callable* callable = nullptr;  ///< Null for resources.
    std::string uri = {};                         ///< Of a resource.
    downstream::Request request = {};
    std::shared_ptr<const guard::CallRules> rules = {};
    bool is_safe = false;  ///< Repeating it does no harm.
    bool is_read = false;  ///< It changes nothing.
    /// How the gateway chose this target, for the record of the call.
    std::string_view route = {};
    /// The end of `request.params_members` that answers a modern server's questions.
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
    /// Calls a modern server again with these answers to its questions instead of earlier ones.
    /// `state` is JSON as the server wrote it; empty = none.
    void set_input(const Members& answers, std::string_view state);
};

/// Returns everything that makes two calls identical, the agent included. Must not be shown: it may
/// hold secrets.
[[nodiscard]] std::string identity_of_call(const agents::AgentRequest& origin,
                                           const CallPlan& plan);

/// Whether a tool can be called now: its server is connected, and its circuit lets calls through.
[[nodiscard]] bool is_healthy(const surface::Callable& tool, resilience::TimePoint now);

/// What all calls share.
struct CallEnvironment {
    std::shared_ptr<ParkedCalls> parked = {};
    std::shared_ptr<CallIds> call_ids = {};
    std::shared_ptr<CallMemory> memory = {};
    std::shared_ptr<ReadSharing> sharing = {};
    std::shared_ptr<SuggestedTools> suggested = {};
    /// Calls that have not ended, including parked ones.
    std::shared_ptr<std::atomic<std::size_t>> in_flight =
        std::make_shared<std::atomic<std::size_t>>(0);
    /// At least 128 random bits in printable characters. From any thread.
    std::function<std::string()> make_secret = {};
    /// What came with a call and concerns others too, such as a changed list.
    std::function<void(const surface::Server&, const std::string& agent_key,
                       downstream::Notification)>
        on_stray = {};
    resilience::Duration ask_timeout = std::chrono::minutes{5};
    /// For a modern agent to come back to a call that is parked.
    resilience::Duration parked_for = std::chrono::minutes{5};
    /// Questions that come together are asked together.
    resilience::Duration gather_questions = std::chrono::milliseconds{5};
    /// Must not be shown to anybody.
    std::shared_ptr<SecretRegistry> secrets = std::make_shared<SecretRegistry>();
    /// A tool's calls are sent unchecked, and why. Once for each tool that an agent calls; from any
    /// loop. May be empty.
    std::function<void(const std::string& tool, const std::string& problem)> on_unchecked = {};
    /// Is told of every call that is over. May be null.
    std::shared_ptr<record::Recorder> recorder = {};
    std::uint32_t max_rounds = 10;  ///< Of questions in one call to a modern downstream.
};

}  // namespace holdfast::calls
