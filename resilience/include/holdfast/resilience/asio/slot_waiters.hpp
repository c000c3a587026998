#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/waker.hpp"

namespace holdfast::resilience {

/// A call that may have to wait for its slot, on its own loop.
///
/// Thread-safety: `wake` from any thread, everything else on its loop.
class SlotWaiter final : public std::enable_shared_from_this<SlotWaiter> {
public:
    SlotWaiter(WaiterId id, boost::asio::any_io_executor loop, Timekeeper& timekeeper);

    [[nodiscard]] WaiterId id() const noexcept { return id_; }
    void wake();
    [[nodiscard]] boost::asio::awaitable<WakeReason> wait_until(TimePoint when) {
        return granted_.wait_until(when);
    }

private:
    const WaiterId id_;
    const boost::asio::any_io_executor loop_;
    OneShot granted_;  // owned by the loop
};

/// The calls that wait for a slot, on any loop, by their id.
///
/// Thread-safety: every operation may be called from any thread.
class SlotWaiters final : public Waker {
public:
    /// Removes the waiter from the table when destroyed.
    class [[nodiscard]] Registration final {
    public:
        Registration(SlotWaiters& table, WaiterId waiter) : table_(table), waiter_(waiter) {}
        Registration(const Registration&) = delete;
        Registration& operator=(const Registration&) = delete;
        ~Registration();

    private:
        SlotWaiters& table_;
        const WaiterId waiter_;
    };

    /// Returns an id that is unique in this table.
    [[nodiscard]] WaiterId next_id() noexcept;

    [[nodiscard]] Registration add(const std::shared_ptr<SlotWaiter>& waiter);

    void wake(WaiterId waiter) override;

private:
    std::atomic<WaiterId> last_id_{0};
    // Shared with the calls: a call may end just before it is woken.
    Synchronized<std::unordered_map<WaiterId, std::shared_ptr<SlotWaiter>>> waiters_;
};

}  // namespace holdfast::resilience
