#include "platform/log_thread.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/counted.hpp"
#include "platform/ending_thread.hpp"

namespace holdfast::platform {
namespace {

std::size_t lines_in(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// Reports the dropped lines, if there are any. Returns how many are still to be reported.
std::size_t report_dropped(std::size_t count, const LogThread::Write& write, const DropNote& note) {
    return count == 0 || write(note(count)) ? 0 : count;
}

}  // namespace

std::string plain_drop_note(std::size_t line_count) {
    return "holdfast: dropped " + base::counted(line_count, "log line") +
           ", which could not be written in time\n";
}

struct LogThread::State : WorkerState {
    // Guarded by `mutex`.
    std::string waiting;
    std::size_t dropped = 0;  // lines after what waits
};

LogThread::LogThread(const LogThreadOptions& options, Write write)
    : options_(options),
      state_(std::make_shared<State>()),
      thread_([state = state_, write = std::move(write), note = options.drop_note] {
          run(*state, write, note);
      }) {}

LogThread::~LogThread() {
    join_or_detach(thread_, *state_, options_.finish_within);
}

void LogThread::put(std::string_view text) {
    const std::scoped_lock lock{state_->mutex};
    // Once a line is dropped so are those behind it, up to the sentence that tells of them.
    if (state_->dropped != 0 || text.size() > options_.max_waiting_bytes - state_->waiting.size()) {
        state_->dropped += std::max<std::size_t>(lines_in(text), 1);
    } else {
        state_->waiting += text;
    }
    state_->changed.notify_all();
}

void LogThread::run(State& state, const Write& write, const DropNote& note) {
    std::size_t lost = 0;
    std::unique_lock lock{state.mutex};
    while (true) {
        state.changed.wait(lock, [&state] {
            return state.is_ending || !state.waiting.empty() || state.dropped != 0;
        });
        if (state.waiting.empty() && state.dropped == 0) {
            break;
        }
        const std::string text = std::exchange(state.waiting, {});
        const std::size_t dropped = std::exchange(state.dropped, 0);
        lock.unlock();
        lost = report_dropped(lost, write, note);
        if (lost != 0 || (!text.empty() && !write(text))) {
            lost += lines_in(text);
        }
        lost = report_dropped(lost + dropped, write, note);
        lock.lock();
    }
    state.is_done = true;
    state.changed.notify_all();
}

}  // namespace holdfast::platform
