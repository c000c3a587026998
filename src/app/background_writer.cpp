#include "app/background_writer.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace holdfast::app {
namespace {

struct Task {
    std::size_t size_bytes = 0;
    BackgroundWriter::Work work = {};
};

}  // namespace

struct BackgroundWriter::State {
    std::mutex mutex;
    std::condition_variable changed;
    // All of the following is guarded by `mutex`.
    std::deque<std::string> order;  // of files, each once: none starves behind a busy one
    std::unordered_map<std::string, Task> waiting;
    std::size_t waiting_bytes = 0;
    bool has_told = false;
    bool is_ending = false;
    bool is_done = false;
};

BackgroundWriter::BackgroundWriter(const BackgroundWriterOptions& options, Tell tell)
    : options_(options),
      state_(std::make_shared<State>()),
      thread_([state = state_, tell = std::move(tell)] { run(*state, tell); }) {}

BackgroundWriter::~BackgroundWriter() {
    bool is_done = false;
    {
        std::unique_lock lock{state_->mutex};
        state_->is_ending = true;
        state_->changed.notify_all();
        is_done = state_->changed.wait_for(lock, options_.finish_within,
                                           [this] { return state_->is_done; });
        state_->order.clear();
        state_->waiting.clear();
    }
    if (is_done) {
        thread_.join();
    } else {
        thread_.detach();  // It hangs in the disk, and nothing can be done about that.
    }
}

void BackgroundWriter::put(const std::string& file, std::size_t size_bytes, Work work) {
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

void BackgroundWriter::run(State& state, const Tell& tell) {
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

}  // namespace holdfast::app
