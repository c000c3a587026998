#pragma once

#include <mutex>
#include <type_traits>
#include <utility>

#include "holdfast/resilience/detail/outbox.hpp"

namespace holdfast::resilience {

/// A lock for policies that are put together by hand: several circuits beside one queue, say. What
/// they tell and whom they wake while it is held reaches the real observer and waker after it is
/// released, so that these may call back in.
///
/// Thread-safety: `with` from any thread. Observer and waker must outlive it, and may be null.
class NotifyingLock final {
public:
    explicit NotifyingLock(Observer* observer = nullptr, Waker* waker = nullptr) noexcept
        : observer_(observer), waker_(waker) {}
    NotifyingLock(const NotifyingLock&) = delete;
    NotifyingLock& operator=(const NotifyingLock&) = delete;

    /// What the policies behind this lock are given in place of the real ones; null if there is
    /// none.
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
