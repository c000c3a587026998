#include "platform/log_thread.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/counted.hpp"
#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::platform {
namespace {

/// What has been put and is not written yet.
struct WaitingLines {
    std::string text = {};
    std::size_t dropped = 0;  // lines after the text
};

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

struct LogThread::State {
    State(Write the_write, DropNote the_note)
        : write(std::move(the_write)), note(std::move(the_note)) {}

    resilience::Synchronized<WaitingLines> waiting;
    // Used by the thread alone.
    const Write write;
    const DropNote note;
    std::size_t lost = 0;  // lines that could not be written, and are not reported yet
};

LogThread::LogThread(const LogThreadOptions& options, Write write)
    : max_waiting_bytes_(options.max_waiting_bytes),
      state_(std::make_shared<State>(std::move(write), options.drop_note)),
      thread_({.finish_within = options.finish_within}, [state = state_](WorkerThread::Worker&) {
          write_waiting(*state);
          return std::optional<resilience::Duration>{};
      }) {}

void LogThread::put(std::string_view text) {
    state_->waiting.with([&](WaitingLines& waiting) {
        // Once a line is dropped so are those behind it, up to the note that replaces them.
        if (waiting.dropped != 0 || text.size() > max_waiting_bytes_ - waiting.text.size()) {
            waiting.dropped += std::max<std::size_t>(lines_in(text), 1);
        } else {
            waiting.text += text;
        }
    });
    thread_.wake();
}

void LogThread::write_waiting(State& state) {
    while (true) {
        const WaitingLines taken =
            state.waiting.with([](WaitingLines& waiting) { return std::exchange(waiting, {}); });
        if (taken.text.empty() && taken.dropped == 0) {
            return;
        }
        state.lost = report_dropped(state.lost, state.write, state.note);
        if (state.lost != 0 || (!taken.text.empty() && !state.write(taken.text))) {
            state.lost += lines_in(taken.text);
        }
        state.lost = report_dropped(state.lost + taken.dropped, state.write, state.note);
    }
}

}  // namespace holdfast::platform
