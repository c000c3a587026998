#include "net/http/server/input_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::net {

std::unique_ptr<char[]> SpareBuffers::take() {
    if (spare_.empty()) {
        return std::make_unique_for_overwrite<char[]>(size_bytes_);
    }
    auto buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
}

void SpareBuffers::give_back(std::unique_ptr<char[]> buffer) {
    if (spare_.size() < kMaxSpare) {
        spare_.push_back(std::move(buffer));
    }
}

std::span<char> InputBuffer::prepare(std::size_t wanted_bytes) {
    const std::size_t held = end_ - begin_;
    const std::size_t usual_bytes = spare_.size_bytes();
    const std::size_t wanted = std::max({wanted_bytes, held, usual_bytes});
    // The buffer shrinks after a large body: there are many connections, and few are busy.
    if (wanted > capacity_ || (capacity_ > usual_bytes && wanted == usual_bytes)) {
        move_to(wanted);
    } else if (begin_ != 0) {
        std::memmove(bytes_.get(), bytes_.get() + begin_, held);
        begin_ = 0;
        end_ = held;
    }
    return {bytes_.get() + end_, capacity_ - end_};
}

void InputBuffer::commit(std::size_t size_bytes) {
    HOLDFAST_EXPECT(size_bytes <= capacity_ - end_);
    end_ += size_bytes;
}

void InputBuffer::consume(std::size_t size_bytes) {
    HOLDFAST_EXPECT(size_bytes <= end_ - begin_);
    begin_ += size_bytes;
}

void InputBuffer::release_if_empty() noexcept {
    if (is_empty()) {
        clear();
        release();
    }
}

// NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
void InputBuffer::release() noexcept {
    if (capacity_ == spare_.size_bytes()) {
        spare_.give_back(std::move(bytes_));
    }
    bytes_.reset();
    capacity_ = 0;
}

void InputBuffer::move_to(std::size_t capacity_bytes) {
    auto bytes = capacity_bytes == spare_.size_bytes()
                     ? spare_.take()
                     : std::make_unique_for_overwrite<char[]>(capacity_bytes);
    const std::size_t held = end_ - begin_;
    if (held > 0) {
        std::memcpy(bytes.get(), bytes_.get() + begin_, held);
    }
    release();
    bytes_ = std::move(bytes);
    capacity_ = capacity_bytes;
    begin_ = 0;
    end_ = held;
}

}  // namespace holdfast::net
