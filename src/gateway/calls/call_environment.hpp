#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "calls/call_ids.hpp"
#include "calls/parked_calls.hpp"
#include "calls/secret_registry.hpp"
#include "downstream/call_listener.hpp"
#include "holdfast/resilience/time.hpp"
#include "record/recorder.hpp"
#include "surface/surface.hpp"

namespace holdfast::calls {

class CallMemory;
class ReadSharing;
class SuggestedTools;

/// What all calls share. Constant once calls run.
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
    /// Receives notifications that do not belong to the call alone, such as a changed list.
    std::function<void(const surface::Server&, const std::string& agent_key,
                       downstream::Notification)>
        on_stray = {};
    resilience::Duration ask_timeout = std::chrono::minutes{5};
    /// How long a parked call waits for its modern agent to return.
    resilience::Duration parked_for = std::chrono::minutes{5};
    /// How long a modern agent's questions are batched before it receives them.
    resilience::Duration gather_questions = std::chrono::milliseconds{5};
    /// Must not be shown to anybody.
    std::shared_ptr<SecretRegistry> secrets = std::make_shared<SecretRegistry>();
    /// Called when the arguments of a tool cannot be validated, once for each tool that an agent
    /// calls. From any loop. May be empty.
    std::function<void(const std::string& tool, const std::string& problem)> on_unchecked = {};
    /// Receives the record of every call that has ended. May be null.
    std::shared_ptr<record::Recorder> recorder = {};
    std::uint32_t max_rounds = 10;  ///< Of questions in one call to a modern downstream.
};

}  // namespace holdfast::calls
