#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
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

/// One request that the gateway answers itself: one answer through its port, in time, whatever the
/// work does. The work is a coroutine on the loop of the request. It is cancelled when its time is
/// up or the agent cancels the request.
///
/// Thread-safety: `cancel` from any thread; all else belongs to the loop of the request.
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

    static boost::asio::awaitable<void> run(std::shared_ptr<BuiltinRequest> self,
                                            boost::asio::awaitable<surface::BuiltinResult> work);
    void finish(const std::string& result);
    void give_up();
    void end();

    agents::AgentRequest request_;  // its port is null after the end
    const std::string method_;
    const std::shared_ptr<std::atomic<std::size_t>> in_flight_;
    Limit limit_{*this};
    boost::asio::cancellation_signal cancellation_;  // of the work
    std::shared_ptr<BuiltinRequest> alive_;          // itself, while the timer runs
};

}  // namespace holdfast::dispatch
