#pragma once

#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::resilience::testing {

/// A timekeeper that a test advances.
class ManualTimekeeper final : public Timekeeper {
public:
    ManualTimekeeper() = default;
    ~ManualTimekeeper() override { heap_.abandon_all(); }

    [[nodiscard]] TimePoint now() const override { return now_; }
    void schedule(Timer& timer, TimePoint when) override { heap_.schedule(timer, when); }
    void cancel(Timer& timer) override { heap_.cancel(timer); }

    [[nodiscard]] std::optional<TimePoint> next() const { return heap_.next(); }

    /// Advances to that instant and fires every timer that is due. Never goes back.
    void advance_to(TimePoint instant) {
        now_ = instant > now_ ? instant : now_;
        while (Timer* due = heap_.take_due(now_)) {
            due->on_time();
        }
    }

private:
    TimePoint now_{std::chrono::hours{1'000}};
    TimerHeap heap_;
};

}  // namespace holdfast::resilience::testing
