#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

#include "holdfast/resilience/observer.hpp"

namespace holdfast::runtime {

/// Tells on the log what the safeguards did: circuits that change, calls that they refuse, retries.
///
/// Thread-safety: from any thread, if the log takes whole lines from any thread.
class EventLog final : public resilience::Observer {
public:
    /// The log must outlive it.
    explicit EventLog(std::ostream& log) : log_(log) {}

    void on_transition(std::string_view name,
                       const resilience::CircuitTransition& transition) override;
    void on_refusal(std::string_view name, const resilience::Refusal& refusal) override;
    void on_retry(std::string_view name, const resilience::ScheduledRetry& retry) override;
    void on_swept(std::size_t count);

private:
    void say(const std::string& sentence);

    std::ostream& log_;
};

}  // namespace holdfast::runtime
