#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop.hpp"

namespace holdfast::sim {

using resilience::Duration;
using resilience::TimePoint;

/// Virtual time. Counts the waiting timers, so that a world can detect leaked ones.
class VirtualTimekeeper final : public resilience::Timekeeper {
public:
    ~VirtualTimekeeper() override { heap_.abandon_all(); }

    [[nodiscard]] TimePoint now() const override { return now_; }
    void schedule(resilience::Timer& timer, TimePoint when) override {
        heap_.schedule(timer, when);
    }
    void cancel(resilience::Timer& timer) override { heap_.cancel(timer); }

    [[nodiscard]] std::optional<TimePoint> next() const { return heap_.next(); }
    [[nodiscard]] std::size_t size() const { return heap_.size(); }
    void advance_to(TimePoint instant) {
        now_ = instant > now_ ? instant : now_;
        while (resilience::Timer* due = heap_.take_due(now_)) {
            due->on_time();
        }
    }

private:
    TimePoint now_{std::chrono::hours{1'000}};
    resilience::TimerHeap heap_;
};

/// The only loop of a world: when nothing is ready, the clock jumps to the next timer. As in a real
/// loop, timers fire inside of it.
///
/// Thread-safety: none.
class SimulatedLoop final {
public:
    SimulatedLoop() = default;
    SimulatedLoop(const SimulatedLoop&) = delete;
    SimulatedLoop& operator=(const SimulatedLoop&) = delete;
    ~SimulatedLoop() { timekeeper_.cancel(schedule_); }

    [[nodiscard]] net::OwningLoop owning() { return {context_.get_executor(), &timekeeper_}; }
    [[nodiscard]] TimePoint now() const { return timekeeper_.now(); }
    /// Waiting timers, except those of `after`.
    [[nodiscard]] std::size_t timer_count() const {
        return timekeeper_.size() - (schedule_.is_scheduled() ? 1 : 0);
    }
    /// Whether work kept repeating without progress of time.
    [[nodiscard]] bool is_stuck() const { return is_stuck_; }

    /// Schedules work of the world itself. Work for the same time runs in order.
    void after(Duration delay, std::function<void()> work) {
        schedule_.work.emplace(std::pair{now() + delay, ++last_serial_}, std::move(work));
        schedule_.arm();
    }

    void run_until(TimePoint instant) {
        settle();
        while (!is_stuck_ && timekeeper_.next().value_or(TimePoint::max()) <= instant) {
            advance_to(*timekeeper_.next());
        }
        advance_to(instant);
    }
    void run_for(Duration span) { run_until(now() + span); }

private:
    static constexpr std::size_t kMaxSteps = 1'000'000;

    struct Schedule final : resilience::Timer {
        explicit Schedule(VirtualTimekeeper& keeper) : timekeeper(keeper) {}
        void on_time() override {
            while (!work.empty() && work.begin()->first.first <= timekeeper.now()) {
                const auto due = work.extract(work.begin());
                due.mapped()();
            }
            arm();
        }
        void arm() {
            if (!work.empty()) {
                timekeeper.schedule(*this, work.begin()->first.first);
            }
        }

        VirtualTimekeeper& timekeeper;
        std::map<std::pair<TimePoint, std::uint64_t>, std::function<void()>> work;
    };

    void advance_to(TimePoint instant) {
        boost::asio::post(context_, [this, instant] { timekeeper_.advance_to(instant); });
        settle();
    }
    void settle() {
        context_.restart();
        std::size_t steps = 0;
        while (context_.poll_one() > 0) {
            if (++steps > kMaxSteps) {
                is_stuck_ = true;
                return;
            }
        }
    }

    boost::asio::io_context context_{1};
    VirtualTimekeeper timekeeper_;
    Schedule schedule_{timekeeper_};
    std::uint64_t last_serial_ = 0;
    bool is_stuck_ = false;
};

}  // namespace holdfast::sim
