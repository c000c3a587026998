#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/resilience/time.hpp"
#include "platform/worker_thread.hpp"

namespace holdfast::platform {

/// Returns the line that replaces this number of lines of the log, with its newline.
using DropNote = std::function<std::string(std::size_t line_count)>;

/// "holdfast: dropped 2 log lines: …"
[[nodiscard]] std::string plain_drop_note(std::size_t line_count);

struct LogThreadOptions {
    std::size_t max_waiting_bytes = std::size_t{1024} * 1024;  ///< More is dropped and counted.
    /// How long the destructor waits for the rest to be written.
    resilience::Duration finish_within = std::chrono::seconds{2};
    DropNote drop_note = plain_drop_note;
};

/// A thread that writes a log to a disk, so that no caller waits for a disk that hangs. The log
/// says how many lines were dropped meanwhile once the disk works again.
///
/// Thread-safety: from any thread.
class LogThread final {
public:
    /// Writes all of the text, or returns false. Called on the thread, and even after the
    /// destructor if the disk hangs: it must own what it uses.
    using Write = std::function<bool(std::string_view text)>;

    LogThread(const LogThreadOptions& options, Write write);
    LogThread(const LogThread&) = delete;
    LogThread& operator=(const LogThread&) = delete;
    ~LogThread() = default;

    /// Does not wait for the disk. The text stays in one piece.
    void put(std::string_view text);

private:
    struct State;

    static void write_waiting(State& state);

    const std::size_t max_waiting_bytes_;
    const std::shared_ptr<State> state_;  // shared with a thread that may be detached
    WorkerThread thread_;
};

}  // namespace holdfast::platform
