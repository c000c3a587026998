#pragma once

#include "holdfast/resilience/time.hpp"
#include "process/child_options.hpp"

namespace holdfast::process {

/// How far a child is on its way out.
enum class ChildProgress {
    running,
    exited,   ///< Its process has ended; what it left behind is being cleared away.
    cleared,  ///< Nothing is left of it.
};

enum class StopAction {
    close_input,  ///< Close the child's standard input.
    terminate,    ///< Send SIGTERM to the group.
    kill,         ///< Send SIGKILL to the group.
    wait,         ///< Wait for progress until the instant, then ask again.
    finished,     ///< The child is cleared away.
    given_up,     ///< Every wait is over and something is still there.
};

struct StopStep {
    StopAction action = StopAction::wait;
    resilience::TimePoint until{};  // for wait

    friend bool operator==(const StopStep&, const StopStep&) = default;
};

/// The way down for a child: close its input, ask it to end, end it, each with a wait. A child that
/// has exited gets no more signals, only the last wait.
///
/// Thread-safety: none.
class StopSequence final {
public:
    explicit StopSequence(const StopOptions& options) : options_(options) {}

    /// What to do next. Actions other than `wait` are done at once, and then asked again.
    [[nodiscard]] StopStep next(resilience::TimePoint now, ChildProgress progress);

private:
    enum class Rung { start, closed, terminated, killed };

    void climb(Rung rung, resilience::TimePoint now, resilience::Duration wait);

    StopOptions options_;
    Rung rung_ = Rung::start;
    resilience::TimePoint until_{};
};

}  // namespace holdfast::process
