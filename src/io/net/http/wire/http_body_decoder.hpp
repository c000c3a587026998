#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/net_error.hpp"

namespace holdfast::net {

/// How the end of a body is determined.
struct BodyFraming {
    enum class Kind : std::uint8_t {
        length,  ///< After `length_bytes`.
        chunked,
        until_close,
    };
    Kind kind = Kind::length;
    std::uint64_t length_bytes = 0;
};

/// Finds the bytes of a body between those of its framing, in arbitrary pieces, without copying.
///
/// Thread-safety: none.
class HttpBodyDecoder final {
public:
    /// The number of consumed bytes, and the bytes among them that belong to the body.
    struct Step {
        std::size_t consumed_bytes = 0;
        std::string_view body = {};
    };

    explicit HttpBodyDecoder(BodyFraming framing) noexcept;

    /// Reads from the front of `bytes`. A step without body bytes has consumed all of them, or the
    /// body has ended. `bad_answer` if the framing is invalid.
    [[nodiscard]] NetResult<Step> next(std::string_view bytes);
    /// Returns whether a close by the peer ends the body properly here.
    [[nodiscard]] bool may_end_here() const noexcept;
    [[nodiscard]] bool is_done() const noexcept { return state_ == State::done; }

private:
    enum class State : std::uint8_t {
        data,  // `left_bytes_` more of the body or of the chunk
        data_until_close,
        size_first,  // of a chunk, at least one digit
        size,
        extension,
        size_end,  // the LF after it
        chunk_end_cr,
        chunk_end_lf,
        trailer_start,  // of a line; an empty one ends the body
        trailer,
        trailer_end,
        last_end,
        done,
    };

    [[nodiscard]] bool take_framing(char character);
    [[nodiscard]] bool take_size_digit(char character);
    [[nodiscard]] bool go(bool is_expected, State next) noexcept;

    State state_ = State::data;
    bool is_chunked_;
    std::uint64_t left_bytes_;
    std::size_t line_bytes_ = 0;  // of extensions, or of all trailers
};

}  // namespace holdfast::net
