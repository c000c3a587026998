#pragma once

#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>

#include "holdfast/resilience/observer.hpp"

namespace holdfast::app {

/// Tells on the log what the safeguards did: circuits that change, calls that they refuse, retries.
/// There can be many of these, and some who start us never read our log: what does not fit into the
/// pipe is left out, and how much that was is said when there is room again.
///
/// Thread-safety: from any thread.
class EventLog final : public resilience::Observer {
public:
    /// The log must outlive it, and goes to that descriptor.
    EventLog(std::ostream& log, int descriptor) : log_(log), descriptor_(descriptor) {}

    void on_transition(std::string_view name,
                       const resilience::CircuitTransition& transition) override;
    void on_refusal(std::string_view name, const resilience::Refusal& refusal) override;
    void on_retry(std::string_view name, const resilience::ScheduledRetry& retry) override;
    void on_swept(std::size_t count);

private:
    void say(const std::string& sentence);

    std::ostream& log_;
    const int descriptor_;
    std::mutex lock_;  // guards what follows, and the room that was found until it is used
    std::size_t left_out_ = 0;
};

}  // namespace holdfast::app
