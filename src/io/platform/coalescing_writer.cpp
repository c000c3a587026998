#include "platform/coalescing_writer.hpp"

#include <deque>
#include <unordered_map>
#include <utility>

#include "platform/ending_thread.hpp"

namespace holdfast::platform {
namespace {

struct Task {
    std::size_t size_bytes = 0;
    CoalescingWriter::Work work = {};
};

}  // namespace

struct CoalescingWriter::State : WorkerState {
    // Guarded by `mutex`.
    std::deque<std::string> order;  // of files, each once: none starves behind a busy one
    std::unordered_map<std::string, Task> waiting;
    std::size_t waiting_bytes = 0;
    bool has_told = false;
};

CoalescingWriter::CoalescingWriter(const CoalescingWriterOptions& options, Tell tell)
    : options_(options),
      state_(std::make_shared<State>()),
      thread_([state = state_, tell = std::move(tell)] { run(*state, tell); }) {}

CoalescingWriter::~CoalescingWriter() {
    join_or_detach(thread_, *state_, options_.finish_within);
    // For a thread that was left: it does no more than what it is at.
    const std::scoped_lock lock{state_->mutex};
    state_->order.clear();
    state_->waiting.clear();
}

void CoalescingWriter::put(const std::string& file, std::size_t size_bytes, Work work) {
    Task replaced;  // destroyed outside the lock
    const std::scoped_lock lock{state_->mutex};
    Task& task = state_->waiting[file];
    const bool is_new = !task.work;
    const std::size_t others_bytes = state_->waiting_bytes - task.size_bytes;
    if (size_bytes > options_.max_waiting_bytes ||
        others_bytes > options_.max_waiting_bytes - size_bytes) {
        if (is_new) {
            state_->waiting.erase(file);
        }
        return;
    }
    replaced = std::exchange(task, Task{.size_bytes = size_bytes, .work = std::move(work)});
    state_->waiting_bytes = others_bytes + size_bytes;
    if (is_new) {
        state_->order.push_back(file);
        state_->changed.notify_all();
    }
}

void CoalescingWriter::run(State& state, const Tell& tell) {
    std::unique_lock lock{state.mutex};
    while (true) {
        state.changed.wait(lock, [&state] { return state.is_ending || !state.order.empty(); });
        if (state.order.empty()) {
            break;
        }
        Task task = std::move(state.waiting.extract(state.order.front()).mapped());
        state.order.pop_front();
        state.waiting_bytes -= task.size_bytes;
        lock.unlock();
        const auto fault = task.work();
        task = {};
        lock.lock();
        if (fault && !std::exchange(state.has_told, true)) {
            lock.unlock();
            tell(fault->message);
            lock.lock();
        }
    }
    state.is_done = true;
    state.changed.notify_all();
}

}  // namespace holdfast::platform
