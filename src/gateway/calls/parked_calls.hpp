#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::calls {

class RelayedCall;

/// Calls that wait for a modern agent to come back with its answers, by the state that it was given
/// to bring along.
///
/// Thread-safety: from any thread.
class ParkedCalls final {
public:
    explicit ParkedCalls(std::size_t max_calls) : max_calls_(max_calls) {}

    /// False if there are too many.
    [[nodiscard]] bool try_park(const std::string& state, std::shared_ptr<RelayedCall> call);
    /// The call is no longer parked. Null if there is no such call.
    [[nodiscard]] std::shared_ptr<RelayedCall> take(const std::string& state);
    /// Nobody will come back: the gateway stops.
    void cancel_all();
    [[nodiscard]] std::size_t size() const;

private:
    const std::size_t max_calls_;
    resilience::Synchronized<std::unordered_map<std::string, std::shared_ptr<RelayedCall>>> calls_;
};

}  // namespace holdfast::calls
