#include "platform/disk_thread.hpp"

#include <deque>
#include <utility>

#include "platform/ending_thread.hpp"

namespace holdfast::platform {

struct DiskThread::State : WorkerState {
    // Guarded by `mutex`.
    Post post;  // called under the lock, so that it is over when the destructor has ended it
    std::deque<Work> works;
};

DiskThread::DiskThread(const DiskThreadOptions& options, Post post)
    : options_(options), state_(std::make_shared<State>()) {
    state_->post = std::move(post);
    thread_ = std::thread{[state = state_] { work_on(*state); }};
}

DiskThread::~DiskThread() {
    std::deque<Work> dropped;  // destroyed outside the lock
    {
        const std::scoped_lock lock{state_->mutex};
        state_->works.swap(dropped);
    }
    join_or_detach(thread_, *state_, options_.finish_within);
}

bool DiskThread::run(Work work) {
    const std::scoped_lock lock{state_->mutex};
    if (state_->works.size() >= options_.max_waiting) {
        return false;
    }
    state_->works.push_back(std::move(work));
    state_->changed.notify_all();
    return true;
}

void DiskThread::work_on(State& state) {
    std::unique_lock lock{state.mutex};
    while (true) {
        state.changed.wait(lock, [&state] { return state.is_ending || !state.works.empty(); });
        if (state.is_ending) {
            break;
        }
        Work work = std::move(state.works.front());
        state.works.pop_front();
        lock.unlock();
        OnLoop run_on = work();
        work = {};
        lock.lock();
        if (!state.is_ending) {
            state.post(std::move(run_on));
        }
    }
    state.is_done = true;
    state.changed.notify_all();
}

}  // namespace holdfast::platform
