#pragma once

#include <vector>

#include "holdfast/resilience/waker.hpp"

namespace holdfast::resilience::testing {

/// Records the woken waiters in order.
class RecordingWaker final : public Waker {
public:
    void wake(WaiterId waiter) override { woken.push_back(waiter); }

    std::vector<WaiterId> woken;
};

}  // namespace holdfast::resilience::testing
