#pragma once

#include <cstdint>

namespace holdfast::resilience {

/// Identifies a waiter. Chosen by the waiter, unique among those that wait at the same time.
using WaiterId = std::uint64_t;

/// Notified when a waiter need not wait any longer. Called at the end of an operation, when the
/// state is final. An implementation that shares the policy behind a lock collects the ids and
/// wakes after unlocking. A waker must not throw.
class Waker {
public:
    Waker() = default;
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;
    virtual ~Waker() = default;

    virtual void wake(WaiterId waiter) = 0;
};

}  // namespace holdfast::resilience
