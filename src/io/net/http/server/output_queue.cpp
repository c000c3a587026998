#include "net/http/server/output_queue.hpp"

#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::net {
namespace {

// Small pieces are joined, so that a slow reader costs one write for many events.
constexpr std::size_t kJoinedBytes = std::size_t{16} * 1024;

}  // namespace

void OutputQueue::push(std::string bytes, std::size_t skipped_bytes) {
    if (skipped_bytes >= bytes.size()) {
        return;
    }
    if (!items_) {
        items_ = std::make_unique<std::deque<std::string>>();
    }
    const std::size_t added_bytes = bytes.size() - skipped_bytes;
    // The first item is being written and must not move.
    if (items_->size() > 1 && items_->back().size() + added_bytes <= kJoinedBytes) {
        items_->back().append(bytes, skipped_bytes);
    } else {
        if (!items_->empty()) {
            bytes.erase(0, skipped_bytes);
        } else {
            offset_ = skipped_bytes;
        }
        items_->push_back(std::move(bytes));
    }
    size_bytes_ += added_bytes;
}

std::string_view OutputQueue::front() const {
    return is_empty() ? std::string_view{} : std::string_view{items_->front()}.substr(offset_);
}

void OutputQueue::consume(std::size_t size_bytes) {
    HOLDFAST_EXPECT(size_bytes <= front().size());
    size_bytes_ -= size_bytes;
    offset_ += size_bytes;
    if (size_bytes > 0 && offset_ == items_->front().size()) {
        items_->pop_front();
        offset_ = 0;
    }
    if (is_empty()) {
        clear();
    }
}

void OutputQueue::clear() {
    items_.reset();
    offset_ = 0;
    size_bytes_ = 0;
}

}  // namespace holdfast::net
