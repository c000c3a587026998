#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "agents/agent_session.hpp"
#include "agents/incoming_request.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "surface/builtin_items.hpp"

namespace holdfast::dispatch {

/// The context of a request that the gateway handles itself.
struct BuiltinRequestContext {
    resilience::Duration limit = {};  ///< Time limit for the result.
    /// Counts the requests that have not ended.
    std::shared_ptr<std::atomic<std::size_t>> in_flight = {};
    std::string arguments = "{}";
};

/// One request that the gateway answers itself, at once or later. It sends exactly one answer
/// through its port, whatever the work does.
///
/// Thread-safety: `cancel` and the functions passed to the work from any thread; all else belongs
/// to the loop of the request.
class BuiltinRequest final : public agents::AgentCall,
                             public std::enable_shared_from_this<BuiltinRequest> {
public:
    static void start(const agents::IncomingRequest& request, BuiltinRequestContext terms,
                      const surface::BuiltinWork& work);

    BuiltinRequest(const agents::IncomingRequest& request,
                   std::shared_ptr<std::atomic<std::size_t>> in_flight);

    void cancel() override;

private:
    class Limit final : public resilience::Timer {
    public:
        explicit Limit(BuiltinRequest& request) : request_(request) {}
        void on_time() override { request_.give_up(); }
        void on_abandoned() override { request_.alive_.reset(); }

    private:
        BuiltinRequest& request_;
    };

    void finish(const std::string& result);
    void give_up();
    void end();

    agents::AgentRequest request_;  // its port is null after the end
    const std::string method_;
    const std::shared_ptr<std::atomic<std::size_t>> in_flight_;
    Limit limit_{*this};
    // Set while the timer runs: the work may release the request on another thread, where no timer
    // may end.
    std::shared_ptr<BuiltinRequest> alive_;
};

}  // namespace holdfast::dispatch
