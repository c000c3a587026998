#include "net/write_queue.hpp"

#include <utility>

namespace holdfast::net {

NetResult<void> WriteQueue::try_push(std::string message) {
    return push(waiting_, {.messages = options_.max_messages, .bytes = options_.max_bytes},
                std::move(message));
}

NetResult<void> WriteQueue::try_push_urgent(std::string message) {
    return push(urgent_,
                {.messages = options_.max_urgent_messages, .bytes = options_.max_urgent_bytes},
                std::move(message));
}

NetResult<void> WriteQueue::push(Lane& lane, LaneLimit limit, std::string message) {
    if (message.size() > limit.bytes) {
        return NetError{.code = NetErrc::too_large,
                        .message = "a message of " + std::to_string(message.size()) +
                                   " bytes; the write queue holds " + std::to_string(limit.bytes)};
    }
    if (lane.messages.size() >= limit.messages || message.size() > limit.bytes - lane.size_bytes) {
        return NetError{
            .code = NetErrc::overloaded,
            .message = "the write queue is full: " + std::to_string(lane.messages.size()) +
                       " messages, " + std::to_string(lane.size_bytes) + " bytes"};
    }
    lane.size_bytes += message.size();
    lane.messages.push_back(std::move(message));
    return {};
}

std::optional<std::string> WriteQueue::take() {
    Lane& lane = next_lane();
    if (lane.messages.empty()) {
        return std::nullopt;
    }
    std::string message = std::move(lane.messages.front());
    lane.messages.pop_front();
    lane.size_bytes -= message.size();
    return message;
}

std::optional<std::string> WriteQueue::take_batch(std::size_t max_bytes) {
    std::optional<std::string> batch = take();
    while (batch && !is_empty() &&
           batch->size() + next_lane().messages.front().size() <= max_bytes) {
        batch->append(*take());
    }
    return batch;
}

WriteQueue::Lane& WriteQueue::next_lane() noexcept {
    return urgent_.messages.empty() ? waiting_ : urgent_;
}

void WriteQueue::clear() {
    urgent_ = {};
    waiting_ = {};
}

}  // namespace holdfast::net
