#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

#include "holdfast/resilience/time.hpp"

namespace holdfast::platform {

struct DiskThreadOptions {
    std::size_t max_waiting = 8;  ///< Works that are not begun; more are refused.
    /// How long the destructor waits for a work that is under way.
    resilience::Duration finish_within = std::chrono::seconds{1};
};

/// A thread that reads files for a loop, so that the loop does not wait for a disk that hangs. What
/// follows from a work goes back to the loop. The destructor drops what has not been begun, and
/// leaves a disk that hangs to itself.
///
/// Thread-safety: from any thread.
class DiskThread final {
public:
    /// What the loop is to do with what was read.
    using OnLoop = std::function<void()>;
    /// Runs on the thread, if the disk hangs even after the destructor: it must own what it uses.
    using Work = std::function<OnLoop()>;
    /// Brings something to the loop, without waiting; not called after the destructor.
    using Post = std::function<void(OnLoop)>;

    DiskThread(const DiskThreadOptions& options, Post post);
    DiskThread(const DiskThread&) = delete;
    DiskThread& operator=(const DiskThread&) = delete;
    ~DiskThread();

    /// The works are done one after the other. False if too many wait.
    [[nodiscard]] bool run(Work work);

private:
    struct State;

    static void work_on(State& state);

    const DiskThreadOptions options_;
    const std::shared_ptr<State> state_;  // shared with a thread that may be left behind
    std::thread thread_;
};

}  // namespace holdfast::platform
