#pragma once

#include <atomic>
#include <cstddef>

namespace holdfast::net {

/// Collects from several loops how many peers have not received everything that they were sent.
/// There is one report for each question.
///
/// Thread-safety: from any thread.
class UnwrittenTally final {
public:
    void ask() noexcept { missing_.fetch_add(1, std::memory_order_relaxed); }
    void report(std::size_t unwritten) noexcept {
        unwritten_.fetch_add(unwritten, std::memory_order_relaxed);
        missing_.fetch_sub(1, std::memory_order_release);
    }

    /// Whether all have reported that nothing is left.
    [[nodiscard]] bool is_clear() const noexcept {
        return missing_.load(std::memory_order_acquire) == 0 &&
               unwritten_.load(std::memory_order_relaxed) == 0;
    }

private:
    std::atomic<std::size_t> missing_{0};
    std::atomic<std::size_t> unwritten_{0};
};

}  // namespace holdfast::net
