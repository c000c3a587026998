#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "holdfast/resilience/time.hpp"
#include "platform/private_file.hpp"
#include "platform/worker_thread.hpp"

namespace holdfast::platform {

struct CoalescingWriterOptions {
    /// Of all work that waits; work beyond it is dropped.
    std::size_t max_waiting_bytes = std::size_t{256} * 1024 * 1024;
    /// How long the destructor waits for the rest to be written.
    resilience::Duration finish_within = std::chrono::seconds{2};
};

/// A thread that does slow work on files, so that no caller waits for a disk. If several works on
/// one file wait, only the newest is done. The destructor finishes what waits, unless the disk
/// hangs for longer than allowed.
///
/// Thread-safety: from any thread.
class CoalescingWriter final {
public:
    using Work = std::function<std::optional<FileFault>()>;
    using Tell = std::function<void(const std::string&)>;

    /// `tell` gets the first fault only: a full disk is one event, not one for each file. It is
    /// called on the thread, and even after the destructor if the disk hangs: it must own what it
    /// uses.
    CoalescingWriter(const CoalescingWriterOptions& options, Tell tell);
    CoalescingWriter(const CoalescingWriter&) = delete;
    CoalescingWriter& operator=(const CoalescingWriter&) = delete;
    ~CoalescingWriter();

    /// Does the work later, instead of any other that still waits for this file. The work must own
    /// what it uses; `size_bytes` is about how much that is. Does not wait.
    void put(const std::string& file, std::size_t size_bytes, Work work);

private:
    struct State;

    static void write_all(State& state);

    const std::size_t max_waiting_bytes_;
    const std::shared_ptr<State> state_;  // shared with a thread that may be detached
    WorkerThread thread_;
};

}  // namespace holdfast::platform
