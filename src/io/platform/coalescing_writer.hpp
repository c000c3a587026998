#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "holdfast/resilience/time.hpp"
#include "platform/private_file.hpp"

namespace holdfast::platform {

struct CoalescingWriterOptions {
    /// Of all that waits to be written; what comes on top of it is not written.
    std::size_t max_waiting_bytes = std::size_t{256} * 1024 * 1024;
    /// How long the destructor waits for the rest to be written.
    resilience::Duration finish_within = std::chrono::seconds{2};
};

/// A thread that does slow work on files, so that nobody else waits for a disk. Of the work on one
/// file only the newest is done. The destructor finishes what waits; a disk that hangs longer than
/// allowed is left to hang.
///
/// Thread-safety: from any thread.
class CoalescingWriter final {
public:
    using Work = std::function<std::optional<FileFault>()>;
    using Tell = std::function<void(const std::string&)>;

    /// `tell` hears of the first fault only: a full disk is one event, not one for each file. It is
    /// called on the thread, if the disk hangs even after the destructor: it must own what it uses.
    CoalescingWriter(const CoalescingWriterOptions& options, Tell tell);
    CoalescingWriter(const CoalescingWriter&) = delete;
    CoalescingWriter& operator=(const CoalescingWriter&) = delete;
    ~CoalescingWriter();

    /// Does the work later, in the place of any other that still waits for this file. The work must
    /// own what it uses; `size_bytes` is about how much that is. Does not wait.
    void put(const std::string& file, std::size_t size_bytes, Work work);

private:
    struct State;

    static void run(State& state, const Tell& tell);

    const CoalescingWriterOptions options_;
    const std::shared_ptr<State> state_;  // shared with a thread that may be left behind
    std::thread thread_;
};

}  // namespace holdfast::platform
