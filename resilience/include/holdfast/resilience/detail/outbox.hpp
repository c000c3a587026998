#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/resilience/observer.hpp"
#include "holdfast/resilience/waker.hpp"

namespace holdfast::resilience::detail {

/// Collects the notifications and wake-ups of one operation under a lock, and delivers them when it
/// goes out of scope. Declare it before taking the lock, so that it delivers after unlocking.
///
/// Thread-safety: none; lives on the stack of one operation.
class Notices {
public:
    Notices(Observer* observer, Waker* waker) noexcept : observer_(observer), waker_(waker) {}
    Notices(const Notices&) = delete;
    Notices& operator=(const Notices&) = delete;
    ~Notices() {
        if (count_ > 0) [[unlikely]] {
            deliver();
        }
    }

private:
    friend class Outbox;
    struct Wakeup {
        WaiterId waiter;
    };
    struct Notice {
        std::string_view name;
        std::variant<std::monostate, CircuitTransition, Refusal, ScheduledRetry, Wakeup> what;
    };

    void add(Notice notice) {
        if (count_ < inline_.size()) {
            inline_[count_] = notice;
        } else {
            more_.push_back(notice);
        }
        ++count_;
    }
    void deliver();
    void deliver(const Notice& notice);

    Observer* observer_;
    Waker* waker_;
    std::size_t count_ = 0;
    // Enough for any operation on a call; only a reconfiguration can wake more.
    std::array<Notice, 8> inline_;
    std::vector<Notice> more_;
};

/// The observer and waker of policies behind a lock: passes everything to the current operation.
///
/// Thread-safety: none; guarded by the lock of the policies.
class Outbox final : public Observer, public Waker {
public:
    /// Requires that the lock is held, and that `notices` lives until it is released.
    void collect_into(Notices& notices) noexcept { notices_ = &notices; }

    void on_transition(std::string_view name, const CircuitTransition& transition) override {
        notices_->add({name, transition});
    }
    void on_refusal(std::string_view name, const Refusal& refusal) override {
        notices_->add({name, refusal});
    }
    void on_retry(std::string_view name, const ScheduledRetry& retry) override {
        notices_->add({name, retry});
    }
    void wake(WaiterId waiter) override { notices_->add({{}, Notices::Wakeup{waiter}}); }

private:
    Notices* notices_ = nullptr;
};

}  // namespace holdfast::resilience::detail
