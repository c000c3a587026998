#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::process {

/// Keeps the last bytes of a stream that must not be blocked, such as the log of a child. Allocates
/// memory as the stream grows, up to the limit.
///
/// Thread-safety: none.
class TailBuffer final {
public:
    explicit TailBuffer(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

    void append(std::string_view bytes);

    /// Returns everything that is kept, the oldest byte first.
    [[nodiscard]] std::string text() const;
    /// Returns the last lines, at most `count`, the oldest first and without line ends. A line
    /// whose beginning was dropped is returned without it; a last line without an end counts.
    [[nodiscard]] std::vector<std::string> last_lines(std::size_t count) const;
    [[nodiscard]] std::size_t size_bytes() const noexcept { return ring_.size(); }
    /// The number of dropped bytes.
    [[nodiscard]] std::uint64_t dropped_bytes() const noexcept { return dropped_bytes_; }

private:
    std::size_t limit_bytes_;
    std::string ring_;        // grows to the limit, then wraps
    std::size_t oldest_ = 0;  // index of the oldest byte
    std::uint64_t dropped_bytes_ = 0;
};

/// The same for readers on threads other than the writer's.
///
/// Thread-safety: from any thread.
class SharedTail final {
public:
    explicit SharedTail(std::size_t limit_bytes) : tail_(limit_bytes) {}

    void append(std::string_view bytes) {
        tail_.with([bytes](TailBuffer& tail) { tail.append(bytes); });
    }
    [[nodiscard]] std::vector<std::string> last_lines(std::size_t count) const {
        return tail_.with([count](const TailBuffer& tail) { return tail.last_lines(count); });
    }
    /// The number of bytes that were ever appended.
    [[nodiscard]] std::uint64_t appended_bytes() const {
        return tail_.with(
            [](const TailBuffer& tail) { return tail.dropped_bytes() + tail.size_bytes(); });
    }

private:
    resilience::Synchronized<TailBuffer> tail_;
};

}  // namespace holdfast::process
