#pragma once

#include <cstddef>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::net {

/// Limits the memory that the large buffers of a process use together: bodies and messages while
/// they are received or sent, and rings. A buffer of up to `kUncountedBytes` is not counted, so
/// that the usual message never takes the lock.
///
/// Thread-safety: from any thread. Must outlive its shares.
class BufferBudget final {
public:
    static constexpr std::size_t kUncountedBytes = std::size_t{64} * 1024;

    explicit BufferBudget(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    [[nodiscard]] std::size_t used_bytes() const {
        return used_bytes_.with([](std::size_t used) { return used; });
    }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }

private:
    friend class BufferShare;

    /// Replaces a share of `before` bytes by one of `after` bytes. False, and nothing changes, if
    /// that would exceed the limit.
    [[nodiscard]] bool try_exchange(std::size_t before, std::size_t after);
    void exchange(std::size_t before, std::size_t after);

    const std::size_t max_bytes_;
    resilience::Synchronized<std::size_t> used_bytes_{std::size_t{0}};
};

/// The part of a budget that one buffer uses. Returns it when destroyed. Without a budget every
/// size fits.
///
/// Thread-safety: none; belongs to the owner of the buffer.
class BufferShare final {
public:
    explicit BufferShare(BufferBudget* budget = nullptr) noexcept : budget_(budget) {}
    BufferShare(BufferShare&& other) noexcept
        : budget_(other.budget_), counted_bytes_(std::exchange(other.counted_bytes_, 0)) {}
    BufferShare& operator=(BufferShare&& other) noexcept {
        std::swap(budget_, other.budget_);
        std::swap(counted_bytes_, other.counted_bytes_);
        return *this;
    }
    ~BufferShare() { resize(0); }

    /// The buffer has this size from now on. False, and the share stays as it is, if the buffer
    /// grows and the budget has no space for it.
    [[nodiscard]] bool try_resize(std::size_t size_bytes);
    /// The same for a buffer that cannot be refused: it may exceed the budget.
    void resize(std::size_t size_bytes);

private:
    [[nodiscard]] static std::size_t counted(std::size_t size_bytes) noexcept {
        return size_bytes > BufferBudget::kUncountedBytes ? size_bytes : 0;
    }

    BufferBudget* budget_;
    std::size_t counted_bytes_ = 0;
};

}  // namespace holdfast::net
