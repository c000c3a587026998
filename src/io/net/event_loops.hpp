#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "net/loop.hpp"

namespace holdfast::net {

/// The event loops of the process: one thread each, each with its timekeeper. The first one runs on
/// the thread that calls `run`.
///
/// Thread-safety: `stop` from any thread; everything else before `run`.
class EventLoops final {
public:
    static constexpr std::size_t kDefaultMaxBufferBytes = std::size_t{512} * 1024 * 1024;

    /// Time runs `clock_rate` times as fast as real time. All loops share one budget for large
    /// buffers.
    explicit EventLoops(std::size_t count, double clock_rate = 1,
                        std::size_t max_buffer_bytes = kDefaultMaxBufferBytes);
    EventLoops(const EventLoops&) = delete;
    EventLoops& operator=(const EventLoops&) = delete;
    /// Requires that `run` has returned, or was never called.
    ~EventLoops();

    [[nodiscard]] const std::vector<OwningLoop>& all() const noexcept;
    /// Runs all loops until `stop`.
    void run();
    void stop();

private:
    struct Hidden;
    const std::unique_ptr<Hidden> hidden_;
};

}  // namespace holdfast::net
