#include "platform/worker_thread.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace holdfast::platform {

WorkerThread::WorkerThread(const WorkerThreadOptions& options, Step step)
    : finish_within_(options.finish_within), worker_(std::make_shared<Worker>()) {
    thread_ = std::thread{[worker = worker_, step = std::move(step),
                           first = options.first_step_after, niceness = options.niceness] {
        if (niceness != 0) {
            // Linux applies it to the thread with this id, not to the process.
            ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
        }
        run(*worker, step, first);
    }};
}

void WorkerThread::wake() {
    const std::scoped_lock lock{worker_->mutex_};
    if (!std::exchange(worker_->is_woken_, true)) {
        worker_->changed_.notify_all();
    }
}

bool WorkerThread::flush(resilience::Duration within) {
    std::unique_lock lock{worker_->mutex_};
    // A step that has begun already may have missed what the caller wants to be done.
    const std::uint64_t wanted = worker_->steps_begun_ + 1;
    worker_->is_woken_ = true;
    worker_->changed_.notify_all();
    return worker_->changed_.wait_for(lock, within, [this, wanted] {
        return worker_->steps_done_ >= wanted || worker_->is_done_;
    });
}

void WorkerThread::stop() {
    if (!thread_.joinable()) {
        return;
    }
    if (wait_for_end()) {
        thread_.join();
        return;
    }
    const std::scoped_lock lock{worker_->owner_mutex_};
    worker_->is_detached_ = true;
    thread_.detach();
}

bool WorkerThread::wait_for_end() {
    std::unique_lock lock{worker_->mutex_};
    worker_->is_stopping_ = true;
    worker_->changed_.notify_all();
    if (!finish_within_) {
        return true;  // `join` waits
    }
    return worker_->changed_.wait_for(lock, *finish_within_, [this] { return worker_->is_done_; });
}

void WorkerThread::run(Worker& worker, const Step& step, std::optional<resilience::Duration> wait) {
    const auto is_needed = [&worker] { return worker.is_woken_ || worker.is_stopping_; };
    std::unique_lock lock{worker.mutex_};
    for (bool is_last = false; !is_last;) {
        if (wait) {
            worker.changed_.wait_for(lock, *wait, is_needed);
        } else {
            worker.changed_.wait(lock, is_needed);
        }
        is_last = worker.is_stopping_;
        worker.is_woken_ = false;
        ++worker.steps_begun_;
        lock.unlock();
        wait = step(worker);
        lock.lock();
        worker.steps_done_ = worker.steps_begun_;
        worker.is_done_ = is_last;
        worker.changed_.notify_all();
    }
}

}  // namespace holdfast::platform
