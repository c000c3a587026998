#include "net/http/server/input_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::net {

std::span<char> InputBuffer::prepare(std::size_t wanted_bytes) {
    const std::size_t held = end_ - begin_;
    const std::size_t wanted = std::max({wanted_bytes, held, usual_bytes_});
    // The buffer shrinks after a large body: there are many connections, and few are busy.
    if (wanted > capacity_ || (capacity_ > usual_bytes_ && wanted == usual_bytes_)) {
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
        bytes_.reset();
        capacity_ = 0;
    }
}

void InputBuffer::move_to(std::size_t capacity_bytes) {
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity_bytes);
    const std::size_t held = end_ - begin_;
    if (held > 0) {
        std::memcpy(bytes.get(), bytes_.get() + begin_, held);
    }
    bytes_ = std::move(bytes);
    capacity_ = capacity_bytes;
    begin_ = 0;
    end_ = held;
}

}  // namespace holdfast::net
