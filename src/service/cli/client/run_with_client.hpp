#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "cli/client/gateway_client.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::cli {

inline constexpr const char* kDefaultGatewayUrl = "http://127.0.0.1:7332/mcp";

/// The gateway that a command uses: a running one, or one that it starts for its own duration.
struct GatewayChoice {
    std::string config_file = {};  ///< Empty = a running gateway.
    std::string url = {};          ///< Empty = the only one of this user.
    std::string token = {};
    resilience::Duration timeout = std::chrono::seconds{30};  ///< For everything together.
    bool needs_index = false;  ///< One of its own is asked when all its tools can be found.
};

/// What is asked; returns the exit code. Runs on the client's loop.
using Asking = std::function<boost::asio::awaitable<int>(std::shared_ptr<GatewayClient> client,
                                                         resilience::Deadline deadline)>;

/// Runs it with a client of that gateway. Returns its exit code, or another if there is no such
/// gateway. Reports servers of a config that are not ready on `errors`.
[[nodiscard]] int run_with_client(const GatewayChoice& choice, const Asking& asking,
                                  std::ostream& errors);

/// Reports why there is no answer, and what to do. Returns the exit code.
[[nodiscard]] int report_fault(const GatewayClientFault& fault, const GatewayChoice& choice,
                               std::ostream& errors);

}  // namespace holdfast::cli
