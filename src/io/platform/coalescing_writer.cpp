#include "platform/coalescing_writer.hpp"

#include <deque>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::platform {
namespace {

struct Task {
    std::size_t size_bytes = 0;
    CoalescingWriter::Work work = {};
};

/// The newest work on each file, in the order in which the files came.
struct Waiting {
    std::deque<std::string> order = {};  // each file once: none starves behind a busy one
    std::unordered_map<std::string, Task> tasks = {};
    std::size_t size_bytes = 0;
};

/// Without work if there is none.
Task taken(Waiting& waiting) {
    if (waiting.order.empty()) {
        return {};
    }
    Task task = std::move(waiting.tasks.extract(waiting.order.front()).mapped());
    waiting.order.pop_front();
    waiting.size_bytes -= task.size_bytes;
    return task;
}

}  // namespace

struct CoalescingWriter::State {
    explicit State(Tell on_fault) : tell(std::move(on_fault)) {}

    resilience::Synchronized<Waiting> waiting;
    // Used by the thread alone.
    const Tell tell;
    bool has_failed = false;
};

CoalescingWriter::CoalescingWriter(const CoalescingWriterOptions& options, Tell tell)
    : max_waiting_bytes_(options.max_waiting_bytes),
      state_(std::make_shared<State>(std::move(tell))),
      thread_({.finish_within = options.finish_within}, [state = state_](WorkerThread::Worker&) {
          write_all(*state);
          return std::optional<resilience::Duration>{};
      }) {}

CoalescingWriter::~CoalescingWriter() {
    thread_.stop();
    // A thread that hangs ends after the work that it is doing.
    std::ignore = state_->waiting.with([](Waiting& waiting) { return std::exchange(waiting, {}); });
}

void CoalescingWriter::put(const std::string& file, std::size_t size_bytes, Work work) {
    Task replaced;  // destroyed outside the lock
    const bool is_new = state_->waiting.with([&](Waiting& waiting) {
        const auto known = waiting.tasks.find(file);
        const bool is_known = known != waiting.tasks.end();
        const std::size_t others_bytes =
            waiting.size_bytes - (is_known ? known->second.size_bytes : 0);
        if (size_bytes > max_waiting_bytes_ || others_bytes > max_waiting_bytes_ - size_bytes) {
            return false;
        }
        waiting.size_bytes = others_bytes + size_bytes;
        Task task{.size_bytes = size_bytes, .work = std::move(work)};
        if (is_known) {
            replaced = std::exchange(known->second, std::move(task));
            return false;
        }
        waiting.tasks.emplace(file, std::move(task));
        waiting.order.push_back(file);
        return true;
    });
    if (is_new) {
        thread_.wake();
    }
}

void CoalescingWriter::write_all(State& state) {
    while (true) {
        const Task task = state.waiting.with(taken);
        if (!task.work) {
            return;
        }
        const auto fault = task.work();
        if (fault && !std::exchange(state.has_failed, true)) {
            state.tell(fault->message);
        }
    }
}

}  // namespace holdfast::platform
