#include "net/http/wire/chunk_decoder.hpp"

#include <algorithm>

#include "base/hex.hpp"
#include "base/http_token.hpp"

namespace holdfast::net {
namespace {

constexpr std::size_t kMaxSizeDigits = 15;  // fewer than would overflow
constexpr std::size_t kMaxOverheadBytes = 4096;

}  // namespace

ChunkDecoder::Step ChunkDecoder::feed(std::string_view bytes, std::string& body) {
    std::size_t index = 0;
    while (index < bytes.size()) {
        if (state_ == State::data) {
            const std::string_view rest = bytes.substr(index);
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), chunk_bytes_));
            body.append(rest.substr(0, count));
            index += count;
            chunk_bytes_ -= count;
            if (chunk_bytes_ == 0) {
                state_ = State::data_return;
            }
            continue;
        }
        Progress progress = take(bytes[index++]);
        if (progress == Progress::needs_bytes && state_ == State::data &&
            chunk_bytes_ > max_body_bytes_ - std::min(body.size(), max_body_bytes_)) {
            progress = Progress::too_large;
        }
        if (progress != Progress::needs_bytes) {
            return {.progress = progress, .consumed_bytes = index};
        }
    }
    return {.progress = Progress::needs_bytes, .consumed_bytes = index};
}

ChunkDecoder::Progress ChunkDecoder::take(char character) {
    switch (state_) {
        case State::size:
            return take_size(character);
        case State::extension:
            return take_extension(character);
        case State::size_line_end:
            overhead_bytes_ = 0;
            extensions_ = {};
            digit_count_ = 0;
            return expect(character, '\n', chunk_bytes_ == 0 ? State::trailer_start : State::data);
        case State::data_return:
            return expect(character, '\r', State::data_line_end);
        case State::data_line_end:
            return expect(character, '\n', State::size);
        case State::trailer_start:
            if (character == '\r') {
                state_ = State::last_line_end;
                return Progress::needs_bytes;
            }
            if (!base::is_of_class(character, base::HttpClass::token)) {
                return Progress::malformed;
            }
            state_ = State::trailer;
            return take_overhead(character, State::trailer_line_end);
        case State::trailer:
            return take_overhead(character, State::trailer_line_end);
        case State::trailer_line_end:
            return expect(character, '\n', State::trailer_start);
        case State::last_line_end:
            return character == '\n' ? Progress::complete : Progress::malformed;
        case State::data:
            break;
    }
    return Progress::malformed;
}

ChunkDecoder::Progress ChunkDecoder::take_size(char character) {
    if (const int digit = base::hex_digit_value(character); digit >= 0) {
        chunk_bytes_ = (digit_count_ == 0 ? 0 : chunk_bytes_ * 16) + static_cast<unsigned>(digit);
        return ++digit_count_ <= kMaxSizeDigits ? Progress::needs_bytes : Progress::malformed;
    }
    if (digit_count_ == 0) {
        return Progress::malformed;
    }
    state_ = State::extension;
    return take_extension(character);
}

ChunkDecoder::Progress ChunkDecoder::take_extension(char character) {
    const bool fits = character == '\r' ? extensions_.may_end() : extensions_.take(character);
    return fits ? take_overhead(character, State::size_line_end) : Progress::malformed;
}

ChunkDecoder::Progress ChunkDecoder::take_overhead(char character, State after_return) {
    if (character == '\r') {
        state_ = after_return;
        return Progress::needs_bytes;
    }
    if (!base::is_of_class(character, base::HttpClass::value)) {
        return Progress::malformed;
    }
    return ++overhead_bytes_ <= kMaxOverheadBytes ? Progress::needs_bytes : Progress::too_large;
}

ChunkDecoder::Progress ChunkDecoder::expect(char character, char wanted, State next) {
    if (character != wanted) {
        return Progress::malformed;
    }
    state_ = next;
    return Progress::needs_bytes;
}

}  // namespace holdfast::net
