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

/// Why a wait ended.
enum class WakeReason {
    signalled,  ///< The expected event has happened.
    time,       ///< The instant came first.
    cancelled,  ///< The waiting coroutine was cancelled.
};

/// Lets a coroutine wait for the first of a signal, an instant and its own cancellation. Later
/// events are dropped. Only one wait at a time; a signal before the wait ends it immediately. If
/// the timekeeper is destroyed, a coroutine that still waits is destroyed too, as Asio does.
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

    /// Signals and resumes the waiter within this call. Must be the last step of a function that
    /// the loop itself has called: the waiter may destroy the objects around the caller.
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
        // Also without a deadline, so that the timekeeper knows all waiters.
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
        // The handler owns the coroutine, which owns this object: both are destroyed at the end of
        // this scope.
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
        // Running the handler clears the cancellation slot; until then a cancellation finds no
        // handler.
        const auto executor = boost::asio::get_associated_executor(*handler);
        boost::asio::post(executor, [handler = std::move(*handler), reason]() mutable {
            std::move(handler)(reason);
        });
    }

    /// Returns the handler of the waiter, if there is one. The waiter no longer needs the
    /// timekeeper afterwards.
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
