#pragma once

#include "holdfast/resilience/time.hpp"
#include "process/child_options.hpp"

namespace holdfast::process {

/// How far a child has stopped.
enum class ChildProgress {
    running,
    exited,   ///< Its process has ended; processes that it left behind are being cleared away.
    cleared,  ///< No process is left.
};

enum class StopAction {
    close_input,  ///< Close the child's standard input.
    terminate,    ///< Send SIGTERM to the group.
    kill,         ///< Send SIGKILL to the group.
    wait,         ///< Wait for progress until the instant, then call `next` again.
    finished,     ///< The child is cleared away.
    given_up,     ///< All waits have ended and a process is still there.
};

struct StopStep {
    StopAction action = StopAction::wait;
    resilience::TimePoint until{};  // for wait

    friend bool operator==(const StopStep&, const StopStep&) = default;
};

/// Stops a child step by step: close its input, SIGTERM, SIGKILL, each with a wait. A child that
/// has exited gets no more signals, only the last wait.
///
/// Thread-safety: none.
class StopSequence final {
public:
    explicit StopSequence(const StopOptions& options) : options_(options) {}

    /// Returns the next step. Perform a step other than `wait` immediately and call this again.
    [[nodiscard]] StopStep next(resilience::TimePoint now, ChildProgress progress);

private:
    enum class Rung { start, closed, terminated, killed };

    void climb(Rung rung, resilience::TimePoint now, resilience::Duration wait);

    StopOptions options_;
    Rung rung_ = Rung::start;
    resilience::TimePoint until_{};
};

}  // namespace holdfast::process
