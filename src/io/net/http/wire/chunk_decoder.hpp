#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/http/wire/chunk_extensions.hpp"

namespace holdfast::net {

/// Decodes a body in chunked encoding that arrives in arbitrary pieces. Checks and skips extensions
/// and trailers, within limits. Strict about digits, line ends, lengths and extensions.
///
/// Thread-safety: none.
class ChunkDecoder final {
public:
    enum class Progress : std::uint8_t { needs_bytes, complete, malformed, too_large };

    struct Step {
        Progress progress = Progress::needs_bytes;
        std::size_t consumed_bytes = 0;
    };

    explicit ChunkDecoder(std::size_t max_body_bytes = 0) : max_body_bytes_(max_body_bytes) {}

    /// Appends the content of `bytes` to `body`. After `complete`, the bytes after the consumed
    /// ones belong to the next message; after a failure nothing more can be read.
    [[nodiscard]] Step feed(std::string_view bytes, std::string& body);

private:
    enum class State : std::uint8_t {
        size,
        extension,
        size_line_end,
        data,
        data_return,
        data_line_end,
        trailer_start,
        trailer,
        trailer_line_end,
        last_line_end,
    };

    [[nodiscard]] Progress take(char character);
    [[nodiscard]] Progress take_size(char character);
    [[nodiscard]] Progress take_extension(char character);
    [[nodiscard]] Progress take_overhead(char character, State after_return);
    [[nodiscard]] Progress expect(char character, char wanted, State next);

    std::size_t max_body_bytes_;
    std::uint64_t chunk_bytes_ = 0;   // of the size that is being read, then of the remaining data
    std::size_t overhead_bytes_ = 0;  // of the extensions of a chunk, or of all trailers
    std::size_t digit_count_ = 0;
    ChunkExtensions extensions_;  // of this chunk
    State state_ = State::size;
};

}  // namespace holdfast::net
