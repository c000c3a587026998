#include "process/stop_sequence.hpp"

namespace holdfast::process {

StopStep StopSequence::next(resilience::TimePoint now, ChildProgress progress) {
    if (progress == ChildProgress::cleared) {
        return {.action = StopAction::finished};
    }
    if (progress == ChildProgress::exited && rung_ != Rung::killed) {
        climb(Rung::killed, now, options_.kill_wait);
    }
    if (rung_ == Rung::start) {
        climb(Rung::closed, now, options_.close_wait);
        return {.action = StopAction::close_input};
    }
    if (now < until_) {
        return {.action = StopAction::wait, .until = until_};
    }
    if (rung_ == Rung::closed) {
        climb(Rung::terminated, now, options_.terminate_wait);
        return {.action = StopAction::terminate};
    }
    if (rung_ == Rung::terminated) {
        climb(Rung::killed, now, options_.kill_wait);
        return {.action = StopAction::kill};
    }
    return {.action = StopAction::given_up};
}

void StopSequence::climb(Rung rung, resilience::TimePoint now, resilience::Duration wait) {
    rung_ = rung;
    until_ = resilience::saturating_add(now, wait);
}

}  // namespace holdfast::process
