#pragma once

#include <mutex>
#include <type_traits>
#include <utility>

namespace holdfast::resilience {

/// A value that can only be accessed under its lock. The lock must not be held across a wait, a
/// callback, a log line or I/O: keep `with` short.
///
/// Thread-safety: `with` may be called from any thread. It does not nest.
template <class T>
class Synchronized {
public:
    template <class... Arguments>
    explicit Synchronized(Arguments&&... arguments)
        : value_(std::forward<Arguments>(arguments)...) {}

    Synchronized(const Synchronized&) = delete;
    Synchronized& operator=(const Synchronized&) = delete;

    /// Returns the result of `use`; a reference would escape the lock and does not compile.
    template <class Use>
    auto with(Use&& use) {
        static_assert(!std::is_reference_v<std::invoke_result_t<Use, T&>>);
        const std::scoped_lock lock{mutex_};
        return std::forward<Use>(use)(value_);
    }

    template <class Use>
    auto with(Use&& use) const {
        static_assert(!std::is_reference_v<std::invoke_result_t<Use, const T&>>);
        const std::scoped_lock lock{mutex_};
        return std::forward<Use>(use)(std::as_const(value_));
    }

private:
    mutable std::mutex mutex_;
    T value_;  // guarded by mutex_
};

}  // namespace holdfast::resilience
