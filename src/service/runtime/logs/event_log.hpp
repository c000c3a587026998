#pragma once

#include <cstddef>
#include <string_view>

#include "holdfast/resilience/observer.hpp"
#include "logging/log.hpp"

namespace holdfast::runtime {

/// Logs what the safeguards do: circuits that change, calls that are rejected, retries.
///
/// Thread-safety: from any thread.
class EventLog final : public resilience::Observer {
public:
    /// The log must outlive it.
    explicit EventLog(const logging::Log& log) : log_(log) {}

    void on_transition(std::string_view name,
                       const resilience::CircuitTransition& transition) override;
    void on_refusal(std::string_view name, const resilience::Refusal& refusal) override;
    void on_retry(std::string_view name, const resilience::ScheduledRetry& retry) override;
    /// Idle circuits were removed.
    void on_swept(std::size_t count) const;

private:
    void on_open(std::string_view name, const resilience::CircuitTransition& transition) const;

    const logging::Log& log_;
};

}  // namespace holdfast::runtime
