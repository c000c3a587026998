#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "holdfast/resilience/asio/asio_pipeline.hpp"
#include "support/manual_timekeeper.hpp"

namespace holdfast::resilience::testing {

/// An Asio loop in virtual time: when nothing is ready, the clock jumps to the next timer.
class VirtualLoop {
public:
    boost::asio::io_context context{1};
    ManualTimekeeper timekeeper;
    std::mt19937_64 random{1};

    [[nodiscard]] LoopServices services() { return {timekeeper, random}; }

    /// Runs what is ready without advancing the time.
    void settle() {
        context.restart();
        context.poll();
    }

    /// Runs until nothing is left, or until `instant`.
    void run_until(TimePoint instant) {
        settle();
        while (timekeeper.next() && *timekeeper.next() <= instant) {
            timekeeper.advance_to(*timekeeper.next());
            settle();
        }
        timekeeper.advance_to(instant);
        settle();
    }
    void run_for(Duration span) { run_until(timekeeper.now() + span); }
    void run_all() {
        settle();
        while (timekeeper.next().value_or(TimePoint::max()) != TimePoint::max()) {
            timekeeper.advance_to(*timekeeper.next());
            settle();
        }
    }
};

/// A call that runs on a loop, with its reply once it has one and a way to cancel it.
template <class T>
class RunningCall {
public:
    template <class Attempt>
    RunningCall(VirtualLoop& loop, const std::shared_ptr<AsioPipeline>& pipeline, CallTraits traits,
                Attempt attempt) {
        boost::asio::co_spawn(
            loop.context, pipeline->run<T>(traits, loop.services(), std::move(attempt)),
            boost::asio::bind_cancellation_slot(
                signal_->slot(), [signal = signal_, reply = reply_](const std::exception_ptr&,
                                                                    PipelineReply<T> result) {
                    reply->emplace(std::move(result));
                }));
    }

    void cancel() { signal_->emit(boost::asio::cancellation_type::terminal); }
    [[nodiscard]] bool has_ended() const { return reply_->has_value(); }
    [[nodiscard]] const PipelineReply<T>& reply() const { return reply_->value(); }

private:
    std::shared_ptr<boost::asio::cancellation_signal> signal_ =
        std::make_shared<boost::asio::cancellation_signal>();
    std::shared_ptr<std::optional<PipelineReply<T>>> reply_ =
        std::make_shared<std::optional<PipelineReply<T>>>();
};

}  // namespace holdfast::resilience::testing
