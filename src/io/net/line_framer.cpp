#include "net/line_framer.hpp"

#include <algorithm>
#include <cstring>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::net {
namespace {

// A larger buffer, caused by a long message, is freed when it is empty.
constexpr std::size_t kKeptBytes = std::size_t{256} * 1024;

std::string_view without_carriage_return(std::string_view line) {
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::span<char> LineFramer::prepare(std::size_t size_bytes) {
    release_if_empty();
    const std::size_t held = end_ - begin_;
    if (capacity_ - end_ < size_bytes) {
        const std::size_t needed = held + size_bytes;
        if (needed <= capacity_ && held <= capacity_ / 2) {
            std::memmove(buffer_.get(), buffer_.get() + begin_, held);
        } else {
            const std::size_t enough = options_.max_message_bytes + size_bytes;
            capacity_ = std::max(needed, std::min(capacity_ * 2, enough));
            auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
            if (held > 0) {
                std::memcpy(larger.get(), buffer_.get() + begin_, held);
            }
            buffer_ = std::move(larger);
        }
        scanned_ -= begin_;
        begin_ = 0;
        end_ = held;
    }
    return {buffer_.get() + end_, capacity_ - end_};
}

void LineFramer::commit(std::size_t size_bytes) {
    HOLDFAST_EXPECT(size_bytes <= capacity_ - end_);
    end_ += size_bytes;
}

void LineFramer::feed(std::string_view bytes) {
    if (!bytes.empty()) {
        std::memcpy(prepare(bytes.size()).data(), bytes.data(), bytes.size());
        commit(bytes.size());
    }
}

LineStep LineFramer::next() {
    while (scanned_ < end_) {
        const char* from = buffer_.get() + scanned_;
        const void* found = std::memchr(from, '\n', end_ - scanned_);
        if (found == nullptr) {
            break;
        }
        const auto length =
            static_cast<std::size_t>(static_cast<const char*>(found) - (buffer_.get() + begin_));
        const std::string_view line{buffer_.get() + begin_, length};
        begin_ += length + 1;
        scanned_ = begin_;
        const LineStep step = step_of(line);
        is_dropping_ = false;
        if (!std::holds_alternative<NeedBytes>(step)) {
            return step;
        }
    }
    scanned_ = end_;
    if (is_dropping_) {
        begin_ = end_;
    } else if (is_over_limit({buffer_.get() + begin_, end_ - begin_})) {
        is_dropping_ = true;
        begin_ = end_;
        return LineTooLong{};
    } else if (!share_.try_resize(end_ - begin_)) {
        is_dropping_ = true;
        begin_ = end_;
        return LineTooLong{.is_out_of_space = true};
    }
    return NeedBytes{};
}

LineStep LineFramer::finish() {
    const std::string_view line{buffer_.get() + begin_, end_ - begin_};
    const LineStep step = step_of(line);
    begin_ = end_;
    scanned_ = end_;
    is_dropping_ = false;
    return step;
}

// Returns NeedBytes for a line that is skipped: blank, or the rest of one that was reported.
LineStep LineFramer::step_of(std::string_view line) const {
    if (is_dropping_) {
        return NeedBytes{};
    }
    line = without_carriage_return(line);
    if (line.size() > options_.max_message_bytes) {
        return LineTooLong{};
    }
    if (is_blank(line)) {
        return NeedBytes{};
    }
    return LineMessage{line};
}

bool LineFramer::is_over_limit(std::string_view unfinished_line) const {
    // A carriage return at the end may belong to the line end.
    return without_carriage_return(unfinished_line).size() > options_.max_message_bytes;
}

void LineFramer::release_if_empty() {
    if (begin_ != end_) {
        return;
    }
    begin_ = scanned_ = end_ = 0;
    share_.resize(0);
    if (capacity_ > kKeptBytes) {
        buffer_.reset();
        capacity_ = 0;
    }
}

}  // namespace holdfast::net
