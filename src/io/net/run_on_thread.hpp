#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/result.hpp"
#include "net/loop.hpp"
#include "platform/job_thread.hpp"

namespace holdfast::net {

/// Why a job has no result.
enum class NotRun : std::uint8_t {
    queue_full,  ///< Too many jobs wait, or the thread is stopping.
    cancelled,   ///< The coroutine was cancelled; a job that has not begun is skipped.
};

/// Where a coroutine waits for a value from another thread. Owned by the coroutine alone, since a
/// thread may hang for longer than the loop lives.
template <class Value>
struct AwaitedValue {
    explicit AwaitedValue(resilience::Timekeeper& timekeeper) : arrival(timekeeper) {}

    resilience::OneShot arrival;
    std::optional<Value> value;
};

/// Runs `work` on the thread and returns its result to the coroutine, which runs on `loop`. `work`
/// must own what it uses. If the thread stops first, the coroutine is not resumed any more; it is
/// destroyed with its loop. The thread must stop before the loop is destroyed.
template <class Work, class Value = std::invoke_result_t<Work&>>
[[nodiscard]] boost::asio::awaitable<resilience::Result<Value, NotRun>> run_on_thread(
    platform::JobThread& thread, OwningLoop loop, Work work) {
    const auto awaited = std::make_shared<AwaitedValue<Value>>(*loop.timekeeper);
    const std::weak_ptr<AwaitedValue<Value>> weak = awaited;
    const auto deliver = [weak](Value value) {
        if (const auto waiting = weak.lock()) {
            waiting->value = std::move(value);
            waiting->arrival.signal();
        }
    };
    const bool is_queued =
        thread.try_run([weak, deliver, executor = loop.executor,
                        work = std::move(work)](platform::JobThread::Worker& worker) mutable {
            if (weak.expired()) {
                return;
            }
            Value value = work();
            worker.with_owner([&] {
                boost::asio::post(executor, [deliver, value = std::move(value)]() mutable {
                    deliver(std::move(value));
                });
            });
        });
    if (!is_queued) {
        co_return NotRun::queue_full;
    }
    std::ignore = co_await awaited->arrival.wait_until(resilience::TimePoint::max());
    if (!awaited->value) {
        co_return NotRun::cancelled;
    }
    co_return std::move(*awaited->value);
}

}  // namespace holdfast::net
