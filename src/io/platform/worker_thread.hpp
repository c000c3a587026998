#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "holdfast/resilience/time.hpp"

namespace holdfast::platform {

struct WorkerThreadOptions {
    /// How long `stop` waits for the last step. A thread that takes longer hangs, usually in the
    /// disk, and is detached. Nothing = `stop` waits until the thread has ended.
    std::optional<resilience::Duration> finish_within = std::nullopt;
    /// After which time the first step runs without a `wake`; nothing = not before one.
    std::optional<resilience::Duration> first_step_after = std::nullopt;
    int niceness = 0;  ///< Of this thread alone; above 0 = other threads go first.
};

/// A thread that runs one function, its step: after each `wake`, and when the time has passed that
/// the previous step returned. What the step works on (a queue, a buffer) belongs to the user of
/// this class and has a lock of its own. The user must be able to destroy itself while a disk
/// hangs, so with `finish_within` the step must own what it uses and reach its user only by
/// `Worker::with_owner`.
///
/// Thread-safety: `wake` and `flush` from any thread; `stop` from one thread at a time.
class WorkerThread final {
public:
    /// The thread as its step sees it. Shared by the thread and its owner.
    ///
    /// Thread-safety: from any thread.
    class Worker final {
    public:
        Worker() = default;
        Worker(const Worker&) = delete;
        Worker& operator=(const Worker&) = delete;
        ~Worker() = default;

        /// Whether the owner has called `stop`. A step that begins afterwards is the last one.
        [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_.load(); }

        /// Calls `use` unless the thread has been detached. The owner is not destroyed meanwhile:
        /// `use` must not wait. Returns whether it was called.
        template <class Use>
        bool with_owner(Use&& use) {
            const std::scoped_lock lock{owner_mutex_};
            if (is_detached_) {
                return false;
            }
            std::forward<Use>(use)();
            return true;
        }

    private:
        friend class WorkerThread;

        std::atomic<bool> is_stopping_ = false;
        std::mutex mutex_;
        std::condition_variable changed_;
        // Guarded by `mutex_`.
        bool is_woken_ = false;
        bool is_done_ = false;  // no further step begins
        std::uint64_t steps_begun_ = 0;
        std::uint64_t steps_done_ = 0;

        std::mutex owner_mutex_;
        bool is_detached_ = false;  // guarded by `owner_mutex_`
    };

    /// Does what there is to do. Returns after which time the next step runs without a `wake`;
    /// nothing = not before one.
    using Step = std::function<std::optional<resilience::Duration>(Worker& worker)>;

    /// Starts the thread.
    WorkerThread(const WorkerThreadOptions& options, Step step);
    WorkerThread(const WorkerThread&) = delete;
    WorkerThread& operator=(const WorkerThread&) = delete;
    ~WorkerThread() { stop(); }

    /// Runs a step soon. Several calls before it begins lead to one step.
    void wake();
    /// Runs a step and waits for its end. False if that takes longer than `within`.
    [[nodiscard]] bool flush(resilience::Duration within);
    /// Runs the last step and ends the thread, or detaches it; see `finish_within`. The second call
    /// does nothing.
    void stop();

    [[nodiscard]] bool is_stopping() const noexcept { return worker_->is_stopping(); }

private:
    static void run(Worker& worker, const Step& step, std::optional<resilience::Duration> wait);
    /// False if the thread has not ended in time.
    [[nodiscard]] bool wait_for_end();

    const std::optional<resilience::Duration> finish_within_;
    const std::shared_ptr<Worker> worker_;  // shared with a thread that may be detached
    std::thread thread_;
};

}  // namespace holdfast::platform
