#include "net/http/wire/http_body_decoder.hpp"

#include <algorithm>

#include "base/hex.hpp"

namespace holdfast::net {
namespace {

// Neither is used, so a peer that sends more of them is broken or hostile.
constexpr std::size_t kMaxExtensionBytes = 1024;
constexpr std::size_t kMaxTrailerBytes = std::size_t{16} * 1024;
constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{1} << 56U;

}  // namespace

HttpBodyDecoder::HttpBodyDecoder(BodyFraming framing) noexcept
    : is_chunked_(framing.kind == BodyFraming::Kind::chunked), left_bytes_(framing.length_bytes) {
    if (is_chunked_) {
        state_ = State::size_first;
        left_bytes_ = 0;
    } else if (framing.kind == BodyFraming::Kind::until_close) {
        state_ = State::data_until_close;
    } else if (left_bytes_ == 0) {
        state_ = State::done;
    }
}

NetResult<HttpBodyDecoder::Step> HttpBodyDecoder::next(std::string_view bytes) {
    if (state_ == State::data_until_close) {
        return Step{.consumed_bytes = bytes.size(), .body = bytes};
    }
    std::size_t consumed = 0;
    while (consumed < bytes.size() && state_ != State::done) {
        if (state_ == State::data) {
            const std::string_view body =
                bytes.substr(consumed, std::min<std::uint64_t>(left_bytes_, bytes.size()));
            left_bytes_ -= body.size();
            if (left_bytes_ == 0) {
                state_ = is_chunked_ ? State::chunk_end_cr : State::done;
            }
            return Step{.consumed_bytes = consumed + body.size(), .body = body};
        }
        if (!take_framing(bytes[consumed])) {
            return NetError{.code = NetErrc::bad_answer,
                            .message = "the chunks of the body are broken"};
        }
        ++consumed;
    }
    return Step{.consumed_bytes = consumed};
}

bool HttpBodyDecoder::may_end_here() const noexcept {
    return state_ == State::data_until_close || state_ == State::done;
}

bool HttpBodyDecoder::go(bool is_expected, State next) noexcept {
    state_ = next;
    return is_expected;
}

bool HttpBodyDecoder::take_framing(char character) {
    switch (state_) {
        case State::size_first:
            left_bytes_ = 0;
            line_bytes_ = 0;
            state_ = State::size;
            return take_size_digit(character);
        case State::size:
            if (character == '\r') {
                return go(true, State::size_end);
            }
            if (character == ';' || character == ' ' || character == '\t') {
                return go(true, State::extension);
            }
            return take_size_digit(character);
        case State::extension:
            if (character == '\r') {
                return go(true, State::size_end);
            }
            return character != '\n' && ++line_bytes_ <= kMaxExtensionBytes;
        case State::size_end:
            line_bytes_ = 0;
            return go(character == '\n', left_bytes_ == 0 ? State::trailer_start : State::data);
        case State::chunk_end_cr:
            return go(character == '\r', State::chunk_end_lf);
        case State::chunk_end_lf:
            return go(character == '\n', State::size_first);
        case State::trailer_start:
            if (character == '\r') {
                return go(true, State::last_end);
            }
            return go(character != '\n' && ++line_bytes_ <= kMaxTrailerBytes, State::trailer);
        case State::trailer:
            if (character == '\r') {
                return go(true, State::trailer_end);
            }
            return character != '\n' && ++line_bytes_ <= kMaxTrailerBytes;
        case State::trailer_end:
            return go(character == '\n', State::trailer_start);
        case State::last_end:
            return go(character == '\n', State::done);
        case State::data:
        case State::data_until_close:
        case State::done:
            break;
    }
    return false;
}

bool HttpBodyDecoder::take_size_digit(char character) {
    const int digit = base::hex_digit_value(character);
    if (digit < 0 || left_bytes_ >= kMaxChunkBytes) {
        return false;
    }
    left_bytes_ = left_bytes_ * 16 + static_cast<std::uint64_t>(digit);
    return true;
}

}  // namespace holdfast::net
