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

/// What one operation under a lock wants to be told and woken, delivered when it goes out of scope.
/// Declare it before taking the lock, so that it is delivered after unlocking.
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
    // Enough for any one operation on a call; only a reconfiguration can wake more at a time.
    std::array<Notice, 8> inline_;
    std::vector<Notice> more_;
};

/// The observer and waker of cores behind a lock: hands what they say to the operation under way.
///
/// Thread-safety: none; guarded by the lock of the cores.
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
