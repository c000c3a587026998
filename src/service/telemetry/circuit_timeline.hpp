#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::telemetry {

struct CircuitTimelineOptions {
    std::size_t max_circuits = 1'000;
    std::size_t max_changes = 256;  ///< Per circuit; the oldest are dropped.
};

struct CircuitChange {
    std::int64_t at_ms = 0;  ///< Since the epoch.
    resilience::CircuitState state = resilience::CircuitState::closed;
    /// Increases with the changes of one circuit; changes from several threads may arrive out of
    /// order.
    std::uint64_t generation = 0;

    friend bool operator==(const CircuitChange&, const CircuitChange&) = default;
};

/// The history of circuit states. Circuits beyond the limit are not stored.
///
/// Thread-safety: from any thread.
class CircuitTimeline final {
public:
    using Changes = std::map<std::string, std::vector<CircuitChange>, std::less<>>;

    explicit CircuitTimeline(const CircuitTimelineOptions& options = {}) : options_(options) {}

    void add(std::string_view circuit, const CircuitChange& change);
    /// Returns the changes since that time, oldest first, preceded by the state that the circuit
    /// had at that time, with the time of its own change.
    [[nodiscard]] Changes since(std::int64_t from_ms) const;

private:
    using Circuits = std::map<std::string, std::deque<CircuitChange>, std::less<>>;

    const CircuitTimelineOptions options_;
    resilience::Synchronized<Circuits> circuits_;
};

}  // namespace holdfast::telemetry
