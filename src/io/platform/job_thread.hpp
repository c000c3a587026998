#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"
#include "platform/worker_thread.hpp"

namespace holdfast::platform {

struct JobThreadOptions {
    std::size_t max_queued = 8;  ///< Jobs that have not begun; more are refused.
    /// As in `WorkerThreadOptions`, for the job that is running.
    std::optional<resilience::Duration> finish_within = std::chrono::seconds{1};
};

/// A thread that runs jobs one after the other. `stop` drops the jobs that have not begun. See
/// `net/run_on_thread.hpp` for a coroutine that awaits the result of a job.
///
/// Thread-safety: from any thread; `stop` from one thread at a time.
class JobThread final {
public:
    using Worker = WorkerThread::Worker;
    /// Runs on the thread. With `finish_within` it must own what it uses, as a step must.
    using Job = std::function<void(Worker& worker)>;

    explicit JobThread(const JobThreadOptions& options);
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;
    ~JobThread() { stop(); }

    /// Queues the job. False if the queue is full or the thread is stopping.
    [[nodiscard]] bool try_run(Job job) { return try_run(std::move(job), max_queued_); }
    /// The same with a lower limit for a job that must leave slots to others.
    [[nodiscard]] bool try_run(Job job, std::size_t max_queued);
    void stop();
    [[nodiscard]] bool is_stopping() const noexcept { return thread_.is_stopping(); }

private:
    struct Queue {
        std::deque<Job> jobs = {};
        bool is_closed = false;
    };
    using SharedQueue = resilience::Synchronized<Queue>;

    static void run_all(SharedQueue& queue, Worker& worker);

    const std::size_t max_queued_;
    const std::shared_ptr<SharedQueue> queue_;  // shared with a thread that may be detached
    WorkerThread thread_;
};

}  // namespace holdfast::platform
