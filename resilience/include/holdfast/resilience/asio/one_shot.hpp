#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <utility>

#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::resilience {

/// What ended a wait.
enum class WakeReason {
    signalled,  ///< What was waited for has happened.
    time,       ///< The instant came first.
    cancelled,  ///< The waiting coroutine is to end.
};

/// Where a coroutine waits for the first of a signal, an instant and its own cancellation. The
/// first one wins and later ones are dropped. One wait at a time; a signal that comes before the
/// wait ends it at once. The waiter never waits for the losers. A coroutine that still waits when
/// the timekeeper goes is destroyed, as Asio does with those that wait in it.
///
/// Thread-safety: none; belongs to one loop.
class OneShot final : public Timer {
public:
    explicit OneShot(Timekeeper& timekeeper) : timekeeper_(&timekeeper) {}
    ~OneShot() override {
        if (is_scheduled()) {
            timekeeper_->cancel(*this);
        }
    }

    void signal() {
        signalled_ = true;
        wake(WakeReason::signalled);
    }

    /// The same, but the waiter goes on within this call and not after it. For the last step of
    /// what the loop itself has called: the waiter may destroy whatever is around the caller.
    void signal_and_resume() {
        signalled_ = true;
        if (auto handler = taken_handler()) {
            std::move (*handler)(WakeReason::signalled);
        }
    }

    [[nodiscard]] boost::asio::awaitable<WakeReason> wait_until(TimePoint when) {
        if (std::exchange(signalled_, false)) {
            co_return WakeReason::signalled;
        }
        const auto cancellation = co_await boost::asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != boost::asio::cancellation_type::none) {
            co_return WakeReason::cancelled;
        }
        // Also without a deadline, so that the timekeeper knows who waits.
        timekeeper_->schedule(*this, when);
        const WakeReason reason =
            co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&,
                                                 void(WakeReason)>(
                [this](Handler handler) { suspend(std::move(handler)); },
                boost::asio::use_awaitable);
        signalled_ = false;
        co_return reason;
    }

    void on_time() override { wake(WakeReason::time); }

    void on_abandoned() override {
        // The handler owns the coroutine, and that owns this: both go at the end of this scope.
        auto handler = std::exchange(handler_, std::nullopt);
        if (handler) {
            boost::asio::get_associated_cancellation_slot(*handler).clear();
        }
    }

private:
    using Handler =
        boost::asio::async_result<boost::asio::use_awaitable_t<>, void(WakeReason)>::handler_type;

    void suspend(Handler handler) {
        auto cancellation = boost::asio::get_associated_cancellation_slot(handler);
        if (cancellation.is_connected()) {
            cancellation.assign(
                [this](boost::asio::cancellation_type) { wake(WakeReason::cancelled); });
        }
        handler_.emplace(std::move(handler));
    }

    void wake(WakeReason reason) {
        auto handler = taken_handler();
        if (!handler) {
            return;
        }
        // The cancellation slot is cleared when the handler runs; until then it finds nobody here.
        const auto executor = boost::asio::get_associated_executor(*handler);
        boost::asio::post(executor, [handler = std::move(*handler), reason]() mutable {
            std::move(handler)(reason);
        });
    }

    /// Of the one who waits, if there is one. From here on the timekeeper may go: the waiter needs
    /// it no more.
    std::optional<Handler> taken_handler() {
        if (handler_ && is_scheduled()) {
            timekeeper_->cancel(*this);
        }
        return std::exchange(handler_, std::nullopt);
    }

    Timekeeper* timekeeper_;
    std::optional<Handler> handler_;
    bool signalled_ = false;
};

}  // namespace holdfast::resilience
