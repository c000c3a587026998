#include "platform/job_thread.hpp"

#include <utility>

namespace holdfast::platform {

JobThread::JobThread(const JobThreadOptions& options)
    : max_queued_(options.max_queued),
      queue_(std::make_shared<SharedQueue>()),
      thread_({.finish_within = options.finish_within}, [queue = queue_](Worker& worker) {
          run_all(*queue, worker);
          return std::optional<resilience::Duration>{};
      }) {}

bool JobThread::try_run(Job job, std::size_t max_queued) {
    const bool is_taken = queue_->with([&](Queue& queue) {
        if (queue.is_closed || queue.jobs.size() >= max_queued) {
            return false;
        }
        queue.jobs.push_back(std::move(job));
        return true;
    });
    if (is_taken) {
        thread_.wake();
    }
    return is_taken;
}

void JobThread::stop() {
    // Destroyed outside the lock: a job may own anything.
    const auto dropped = queue_->with([](Queue& queue) {
        queue.is_closed = true;
        return std::exchange(queue.jobs, {});
    });
    thread_.stop();
}

void JobThread::run_all(SharedQueue& queue, Worker& worker) {
    while (true) {
        const Job job = queue.with([](Queue& current) {
            if (current.jobs.empty()) {
                return Job{};
            }
            Job first = std::move(current.jobs.front());
            current.jobs.pop_front();
            return first;
        });
        if (!job) {
            return;
        }
        job(worker);
    }
}

}  // namespace holdfast::platform
