#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "holdfast/resilience/time.hpp"

namespace holdfast::platform {

/// Does work on a thread of its own and waits for its result. Returns nothing if it takes longer
/// than `limit`, usually in a disk that hangs: then the thread is abandoned, so the work must own
/// what it uses.
template <class Work>
[[nodiscard]] auto done_within(resilience::Duration limit, Work work)
    -> std::optional<std::invoke_result_t<Work>> {
    struct Shared {
        std::mutex mutex;
        std::condition_variable done;
        std::optional<std::invoke_result_t<Work>> result;  // guarded by the mutex
    };
    const auto shared = std::make_shared<Shared>();
    std::thread thread{[shared, work = std::move(work)]() mutable {
        auto result = work();
        const std::scoped_lock lock{shared->mutex};
        shared->result = std::move(result);
        shared->done.notify_one();
    }};
    std::unique_lock lock{shared->mutex};
    const bool is_done =
        shared->done.wait_for(lock, limit, [&shared] { return shared->result.has_value(); });
    auto result = is_done ? std::move(shared->result) : std::nullopt;
    lock.unlock();
    is_done ? thread.join() : thread.detach();
    return result;
}

}  // namespace holdfast::platform
