#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "net/net_error.hpp"
#include "net/write_queue_options.hpp"

namespace holdfast::net {

/// The messages that wait to be written to one peer. Rejects messages when full; urgent messages
/// have their own slots and are taken first, in order of arrival. A message that has been taken is
/// no longer in the queue, so no other message can interrupt it.
///
/// Thread-safety: none.
class WriteQueue final {
public:
    explicit WriteQueue(const WriteQueueOptions& options) : options_(options) {}

    /// `too_large` if it would not fit into an empty queue, `overloaded` if it does not fit now.
    [[nodiscard]] NetResult<void> try_push(std::string message);
    /// The same, ahead of everything that is not urgent.
    [[nodiscard]] NetResult<void> try_push_urgent(std::string message);
    /// Returns the next message to write, or nothing.
    [[nodiscard]] std::optional<std::string> take();
    /// The same together with following messages, up to a total of `max_bytes`: for a peer that
    /// reads a stream of lines and accepts many in one write.
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
