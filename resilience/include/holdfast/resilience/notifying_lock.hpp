#pragma once

#include <mutex>
#include <type_traits>
#include <utility>

#include "holdfast/resilience/detail/outbox.hpp"

namespace holdfast::resilience {

/// A lock for policies that are combined by hand, such as several circuits and one queue.
/// Notifications and wake-ups under the lock reach the real observer and waker after it is
/// released, so that these may call back.
///
/// Thread-safety: `with` from any thread. Observer and waker must outlive it, and may be null.
class NotifyingLock final {
public:
    explicit NotifyingLock(Observer* observer = nullptr, Waker* waker = nullptr) noexcept
        : observer_(observer), waker_(waker) {}
    NotifyingLock(const NotifyingLock&) = delete;
    NotifyingLock& operator=(const NotifyingLock&) = delete;

    /// The observer and waker to pass to the policies behind this lock; null if there is no real
    /// one.
    [[nodiscard]] Observer* observer() noexcept {
        return observer_ != nullptr ? &outbox_ : nullptr;
    }
    [[nodiscard]] Waker* waker() noexcept { return waker_ != nullptr ? &outbox_ : nullptr; }

    /// Runs `use` under the lock.
    template <class Use>
    auto with(Use&& use) {
        static_assert(!std::is_reference_v<std::invoke_result_t<Use>>,
                      "a reference would escape the lock");
        detail::Notices notices{observer_, waker_};
        const std::scoped_lock lock{mutex_};
        outbox_.collect_into(notices);
        return std::forward<Use>(use)();
    }

private:
    Observer* const observer_;
    Waker* const waker_;
    std::mutex mutex_;
    detail::Outbox outbox_;  // guarded by mutex_
};

}  // namespace holdfast::resilience
