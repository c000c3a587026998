#pragma once

#include <cstdint>

namespace holdfast::net {

/// Checks what follows the size of a chunk, character by character, up to the line end:
/// `*( BWS ";" BWS name [ BWS "=" BWS value ] )` (RFC 9112, section 7.1.1). Stores nothing.
///
/// Thread-safety: none.
class ChunkExtensions final {
public:
    /// Returns whether the character may follow the previous ones.
    [[nodiscard]] bool take(char character) noexcept;
    /// Returns whether the line may end here.
    [[nodiscard]] bool may_end() const noexcept;

private:
    enum class State : std::uint8_t {
        none,              // directly after the size
        before_semicolon,  // after a blank that only a semicolon may follow
        before_name,
        name,
        after_name,
        before_value,
        token_value,
        quoted_value,
        quoted_pair,
        after_quotes,
        broken,
    };

    [[nodiscard]] State after(char character) const noexcept;

    State state_ = State::none;
};

}  // namespace holdfast::net
