#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <variant>

#include "holdfast/resilience/asio/compiler_check.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/asio/slot_waiters.hpp"
#include "holdfast/resilience/shared_pipeline.hpp"
#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::resilience {

/// The result of an attempt: a value, which may be an answer or an error of the caller's own type,
/// and what it means to the pipeline.
template <class T>
struct AttemptReply {
    T value = {};
    AttemptEnd end = {};
};

/// The result of a call. `value` is the last attempt's; empty if the attempt was cut off, threw, or
/// was never made.
template <class T>
struct PipelineReply {
    CallVerdict verdict;
    std::optional<T> value;
    std::exception_ptr exception;  ///< Of the last attempt, if it threw.
};

/// The parameters of an attempt, which also reports how far it got.
///
/// Thread-safety: none; belongs to the loop of its call.
class AttemptContext {
public:
    AttemptContext(StartAttempt start, std::shared_ptr<Delivery> delivery) noexcept
        : start_(start), delivery_(std::move(delivery)) {}

    [[nodiscard]] std::uint32_t number() const noexcept { return start_.number; }
    [[nodiscard]] Deadline deadline() const noexcept { return start_.deadline; }

    /// Records how far the attempt got, in case it is cut off. By default it counts as sent, which
    /// is the safe assumption.
    void set_delivery(Delivery delivery) noexcept { *delivery_ = delivery; }

private:
    StartAttempt start_;
    std::shared_ptr<Delivery> delivery_;  // shared with the call, which may outlive the attempt
};

/// The timers and the random generator of the loop on which a call runs. Both must outlive the
/// call.
struct LoopServices {
    Timekeeper& timekeeper;
    std::mt19937_64& random;
};

/// A `SharedPipeline` whose calls are coroutines. An attempt that is cut off is cancelled but not
/// awaited: its late result is dropped.
///
/// Thread-safety: `run` may be called from any number of loops; each call stays on its own.
class AsioPipeline final : public std::enable_shared_from_this<AsioPipeline> {
    struct Private {};

public:
    /// Requires a setup that passes `validated`. The observer must outlive the pipeline.
    [[nodiscard]] static std::shared_ptr<AsioPipeline> make(const PipelineSetup& setup,
                                                            Observer* observer = nullptr) {
        return std::make_shared<AsioPipeline>(Private{}, setup, observer);
    }
    /// Called by `make`: calls need a shared owner.
    AsioPipeline(Private, const PipelineSetup& setup, Observer* observer)
        : pipeline_(SharedPipeline::make(setup, observer, &waiters_)) {}

    /// Runs one call. `attempt(AttemptContext)` returns an `awaitable<AttemptReply<T>>`. It is
    /// started on the executor of the calling coroutine, which must be a single-threaded loop or a
    /// strand, and receives terminal cancellation when its time is up. Cancelling the calling
    /// coroutine ends the call with `CallEnding::cancelled`. This function sets `traits.waiter`.
    /// The callable lives as long as any of its attempts. `T` must be default constructible.
    template <class T, class Attempt>
    [[nodiscard]] boost::asio::awaitable<PipelineReply<T>> run(CallTraits traits,
                                                               LoopServices services,
                                                               Attempt attempt) {
        return run_owned<T>(shared_from_this(), traits, services,
                            std::make_shared<Attempt>(std::move(attempt)));
    }

    /// For status, modes and reconfiguration.
    [[nodiscard]] SharedPipeline& shared() noexcept { return *pipeline_; }

private:
    template <class T>
    struct AttemptState;

    template <class T, class Attempt>
    static boost::asio::awaitable<PipelineReply<T>> run_owned(std::shared_ptr<AsioPipeline> self,
                                                              CallTraits traits,
                                                              LoopServices services,
                                                              std::shared_ptr<Attempt> attempt) {
        const bool threw_if_cancelled = co_await boost::asio::this_coro::throw_if_cancelled();
        co_await boost::asio::this_coro::throw_if_cancelled(false);
        auto reply = co_await self->run_steps<T>(traits, services, std::move(attempt));
        co_await boost::asio::this_coro::throw_if_cancelled(threw_if_cancelled);
        co_return reply;
    }
    /// Keeps the callable alive while its attempt runs, which may be longer than the call. An
    /// exception that the callable throws before its first step becomes the attempt's exception.
    template <class T, class Attempt>
    static boost::asio::awaitable<AttemptReply<T>> call_attempt(std::shared_ptr<Attempt> attempt,
                                                                AttemptContext context) {
        co_return co_await (*attempt)(std::move(context));
    }
    template <class T, class Attempt>
    boost::asio::awaitable<PipelineReply<T>> run_steps(CallTraits traits, LoopServices services,
                                                       std::shared_ptr<Attempt> attempt);
    template <class T, class Attempt>
    boost::asio::awaitable<bool> run_attempt(StartAttempt start, LoopServices services,
                                             std::shared_ptr<Attempt> attempt,
                                             PipelineReply<T>& reply, AttemptEnd& end);
    static boost::asio::awaitable<bool> is_cancelled() {
        const auto cancellation = co_await boost::asio::this_coro::cancellation_state;
        co_return cancellation.cancelled() != boost::asio::cancellation_type::none;
    }

    SlotWaiters waiters_;
    const std::shared_ptr<SharedPipeline> pipeline_;
};

/// Shared between the call and the attempt's completion; the last owner destroys it.
template <class T>
struct AsioPipeline::AttemptState {
    explicit AttemptState(Timekeeper& timekeeper) : ended(timekeeper) {}

    OneShot ended;
    boost::asio::cancellation_signal cut_off;
    std::shared_ptr<Delivery> delivery = std::make_shared<Delivery>(Delivery::sent);
    std::optional<AttemptReply<T>> reply;
    std::exception_ptr exception;
};

template <class T, class Attempt>
boost::asio::awaitable<PipelineReply<T>> AsioPipeline::run_steps(CallTraits traits,
                                                                 LoopServices services,
                                                                 std::shared_ptr<Attempt> attempt) {
    PipelineReply<T> reply;
    traits.waiter = waiters_.next_id();
    SharedPipeline::Call call = pipeline_->call(traits);
    const bool is_gone_already = co_await is_cancelled();
    PipelineStep step =
        is_gone_already ? PipelineStep{call.cancel()} : call.start(services.timekeeper.now());
    while (!std::holds_alternative<CallVerdict>(step)) {
        bool go_on = true;
        if (const auto* start = std::get_if<StartAttempt>(&step)) {
            AttemptEnd end;
            go_on = co_await run_attempt<T>(*start, services, attempt, reply, end);
            if (go_on) {
                step = call.on_attempt_end(end, services.timekeeper.now(), services.random);
            }
        } else if (const auto* wait = std::get_if<WaitForSlot>(&step)) {
            const auto slot = std::make_shared<SlotWaiter>(
                traits.waiter, co_await boost::asio::this_coro::executor, services.timekeeper);
            const auto registration = waiters_.add(slot);
            const TimePoint until = wait->until;
            // A slot granted before the registration did not wake this call.
            step = call.resume(services.timekeeper.now());
            if (std::holds_alternative<WaitForSlot>(step)) {
                go_on = co_await slot->wait_until(until) != WakeReason::cancelled;
                step = go_on ? call.resume(services.timekeeper.now()) : step;
            }
        } else if (const auto* pause = std::get_if<WaitBeforeRetry>(&step)) {
            OneShot nothing{services.timekeeper};
            go_on = co_await nothing.wait_until(pause->until) != WakeReason::cancelled;
            step = go_on ? call.resume(services.timekeeper.now()) : step;
        }
        const bool is_gone = !go_on || co_await is_cancelled();
        if (is_gone && !std::holds_alternative<CallVerdict>(step)) {
            step = call.cancel();
        }
    }
    reply.verdict = std::get<CallVerdict>(step);
    co_return reply;
}

/// Returns false if the call was cancelled while the attempt ran.
template <class T, class Attempt>
boost::asio::awaitable<bool> AsioPipeline::run_attempt(StartAttempt start, LoopServices services,
                                                       std::shared_ptr<Attempt> attempt,
                                                       PipelineReply<T>& reply, AttemptEnd& end) {
    const auto state = std::make_shared<AttemptState<T>>(services.timekeeper);
    boost::asio::co_spawn(
        co_await boost::asio::this_coro::executor,
        call_attempt<T>(std::move(attempt), AttemptContext{start, state->delivery}),
        boost::asio::bind_cancellation_slot(
            state->cut_off.slot(),
            [state](std::exception_ptr exception, std::optional<AttemptReply<T>> result) {
                state->exception = std::move(exception);
                state->reply = std::move(result);
                state->ended.signal();
            }));
    const WakeReason reason = co_await state->ended.wait_until(start.deadline.when());
    reply.value.reset();
    reply.exception = nullptr;
    if (reason == WakeReason::signalled && !state->exception) {
        end = state->reply->end;
        reply.value.emplace(std::move(state->reply->value));
        co_return true;
    }
    // An attempt that did not complete has no answer, whatever it reported.
    const bool was_sent = *state->delivery != Delivery::not_sent;
    end = {.outcome = Outcome::failure,
           .failure = AttemptFailure{.delivery = was_sent ? Delivery::sent : Delivery::not_sent}};
    if (reason != WakeReason::signalled) {
        state->cut_off.emit(boost::asio::cancellation_type::terminal);
        co_return reason == WakeReason::time;
    }
    reply.exception = state->exception;
    co_return true;
}

}  // namespace holdfast::resilience
