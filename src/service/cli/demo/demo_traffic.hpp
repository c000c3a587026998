#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "cli/client/gateway_client.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop.hpp"

namespace holdfast::cli {

struct DemoTrafficOptions {
    resilience::Duration every = std::chrono::milliseconds{500};  ///< From one call to the next.
    std::size_t max_in_flight = 20;  ///< At this number, no further call starts.
    resilience::Duration timeout = std::chrono::seconds{20};  ///< Of one call.
};

/// An agent for the demo, which calls the tools of the demo's servers in turn, so that there is
/// something to look at. Calls in flight keep the client alive, not this.
///
/// Thread-safety: none; belongs to the loop. It must be gone before the loop is.
class DemoTraffic final : public resilience::Timer {
public:
    using Say = std::function<void(const std::string& sentence)>;

    /// Begins at once. Calls `say` for each call that fails.
    DemoTraffic(net::OwningLoop loop, std::shared_ptr<GatewayClient> client, Say say,
                DemoTrafficOptions options = {});
    ~DemoTraffic() override;

    void on_time() override;

private:
    struct Tally {
        std::size_t in_flight = 0;
        Say say = {};  ///< Empty when nobody is interested any more.
    };

    void begin_call();

    const net::OwningLoop loop_;
    const std::shared_ptr<GatewayClient> client_;
    const DemoTrafficOptions options_;
    const std::shared_ptr<Tally> tally_;  // shared with the calls in flight
    std::size_t next_ = 0;
};

}  // namespace holdfast::cli
