#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::calls {

class Call;

/// Calls that wait for a modern agent to return with its answers, by the token that the agent sends
/// back.
///
/// Thread-safety: from any thread.
class ParkedCalls final {
public:
    explicit ParkedCalls(std::size_t max_calls) : max_calls_(max_calls) {}

    /// False if there are too many.
    [[nodiscard]] bool try_park(const std::string& token, std::shared_ptr<Call> call);
    /// Removes the call from the table. Null if there is no such call.
    [[nodiscard]] std::shared_ptr<Call> take(const std::string& token);
    /// The gateway stops, so no agent will return.
    void cancel_all();
    [[nodiscard]] std::size_t size() const;

private:
    const std::size_t max_calls_;
    resilience::Synchronized<std::unordered_map<std::string, std::shared_ptr<Call>>> calls_;
};

}  // namespace holdfast::calls
