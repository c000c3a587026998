#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admin/entry_problems.hpp"
#include "dispatch/gateway.hpp"
#include "guard/guard_views.hpp"
#include "holdfast/resilience/time.hpp"
#include "telemetry/last_errors.hpp"
#include "telemetry/metrics.hpp"
#include "telemetry/telemetry_store.hpp"

// The state of a gateway at one moment as plain values. Durations are in gateway time, which tests
// may accelerate; times are wall-clock times.

namespace holdfast::admin {

[[nodiscard]] inline double in_seconds(resilience::Duration duration) {
    return std::chrono::duration<double>{duration}.count();
}

/// The values of a server's `status`.
enum class ServerState : std::uint8_t {
    connecting,
    connected,
    disconnected,  ///< Not needed yet, paused or stopped.
    skipped,       ///< Its entry cannot be used for now; it does not run.
    error,  ///< Lost or refused; or its last call failed for its fault, until the next success.
};

[[nodiscard]] std::string_view text_of(ServerState state) noexcept;

/// The state of a server's circuit: its own, else the worst of the circuits it uses.
struct ServerCircuit {
    std::string state = "closed";
    std::uint32_t failure_count = 0;
    bool can_attempt = true;
    std::optional<double> remaining_s = std::nullopt;
};

struct ServerStatus {
    std::string name = {};
    ServerState state = ServerState::disconnected;
    /// Why it is not connected, or the problems of a connected server's lists or new config entry.
    /// May be empty.
    std::string reason = {};
    std::string log_excerpt = {};  ///< What its program wrote last, if it ended. Not for agents.
    std::string transport = {};
    std::string era = {};  ///< The protocol revision; empty = unknown.
    std::size_t tools = 0;
    std::size_t prompts = 0;
    std::size_t resources = 0;  ///< Templates among them.
    ServerCircuit circuit = {};
    std::optional<telemetry::LastError> last_error = std::nullopt;
    std::vector<std::string> log = {};  ///< The last lines of its standard error.
    std::optional<std::int64_t> pid = std::nullopt;
    std::optional<double> uptime_s = std::nullopt;
    std::optional<double> starting_s = std::nullopt;  ///< During its first start.
    std::uint64_t restarts = 0;
    std::uint32_t failures_in_row = 0;
    bool is_given_up = false;
    bool is_paused = false;
    std::optional<std::int64_t> next_attempt_ms = std::nullopt;  ///< Since the epoch.
    std::optional<double> next_attempt_in_s = std::nullopt;
    guard::QueueView queue = {};
    telemetry::ServerTotal calls = {};
};

struct CircuitLine {
    guard::CircuitView view = {};
    std::vector<std::string> servers = {};  ///< Whose calls it lets through or not.
};

struct CallsStatus {
    std::uint64_t total = 0;
    std::uint64_t failed = 0;
    std::size_t in_flight = 0;
    std::size_t parked = 0;
};

/// The memory of all large buffers together.
struct BuffersStatus {
    std::size_t used_bytes = 0;
    std::size_t limit_bytes = 0;  ///< 0 = no limit.
};

/// Constant while the gateway runs.
struct GatewayContext {
    std::string name = "holdfast";
    std::string version = {};
    std::int64_t pid = 0;
    std::string config_file = {};
    double clock_rate = 1;
    std::int64_t started_ms = 0;  ///< Since the epoch.
};

struct Status {
    GatewayContext gateway = {};
    std::optional<RejectedConfig> rejected_config = std::nullopt;
    double uptime_s = 0;
    bool is_draining = false;
    std::int64_t now_ms = 0;
    std::vector<ServerStatus> servers = {};  ///< In the order of the config, skipped ones last.
    std::vector<CircuitLine> circuits = {};  ///< Each once, sorted by name.
    surface::ToolInventory tools = {};
    surface::RouterTotals router = {};
    CallsStatus calls = {};
    BuffersStatus buffers = {};
    std::size_t sessions = 0;
    dispatch::UnassignedMessages unassigned = {};
    std::uint64_t dropped_notifications = 0;                     ///< Which slow agents did not get.
    std::optional<telemetry::StoreStatus> store = std::nullopt;  ///< Nothing = it is off.
};

/// Returns the JSON object of `GET /api/status`.
[[nodiscard]] std::string json_of(const Status& status);

}  // namespace holdfast::admin
