#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "net/net_error.hpp"
#include "net/write_queue_options.hpp"

namespace holdfast::net {

/// The messages that wait to be written to one peer. It refuses when full; what is urgent has
/// places of its own and is taken first, in the order of its coming. A message that has been taken
/// is no longer in the queue, so nothing can get into the middle of it.
///
/// Thread-safety: none.
class WriteQueue final {
public:
    explicit WriteQueue(const WriteQueueOptions& options) : options_(options) {}

    /// `too_large` if it would not fit an empty queue either, `overloaded` if it does not fit now.
    [[nodiscard]] NetResult<void> try_push(std::string message);
    /// The same, ahead of everything that is not urgent.
    [[nodiscard]] NetResult<void> try_push_urgent(std::string message);
    /// The next message to write; none if there is none.
    [[nodiscard]] std::optional<std::string> take();
    /// The same with those behind it, one after the other, as long as they are not over `max_bytes`
    /// together: for a peer that reads a stream of lines, and takes many in one write.
    [[nodiscard]] std::optional<std::string> take_batch(std::size_t max_bytes);
    void clear();

    [[nodiscard]] bool is_empty() const noexcept {
        return urgent_.messages.empty() && waiting_.messages.empty();
    }
    [[nodiscard]] std::size_t message_count() const noexcept {
        return urgent_.messages.size() + waiting_.messages.size();
    }
    [[nodiscard]] std::size_t size_bytes() const noexcept {
        return urgent_.size_bytes + waiting_.size_bytes;
    }

private:
    struct Lane {
        std::deque<std::string> messages;
        std::size_t size_bytes = 0;
    };
    struct LaneLimit {
        std::size_t messages;
        std::size_t bytes;
    };

    static NetResult<void> push(Lane& lane, LaneLimit limit, std::string message);
    [[nodiscard]] Lane& next_lane() noexcept;

    WriteQueueOptions options_;
    Lane urgent_;
    Lane waiting_;
};

}  // namespace holdfast::net
