#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/place.hpp"

namespace holdfast::config {

/// Walks through a text byte by byte and knows line and column. A line ends with LF, CRLF or CR.
///
/// Thread-safety: none.
class TextCursor final {
public:
    explicit TextCursor(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] bool is_at_end() const noexcept { return offset_ == text_.size(); }
    /// The byte that comes `ahead` of the next one; 0 behind the end.
    [[nodiscard]] char peek(std::size_t ahead = 0) const noexcept {
        return ahead < text_.size() - offset_ ? text_[offset_ + ahead] : '\0';
    }
    [[nodiscard]] Place place() const noexcept { return place_; }
    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
    [[nodiscard]] std::string_view since(std::size_t offset) const noexcept {
        return text_.substr(offset, offset_ - offset);
    }

    /// Steps over the next byte, if there is one.
    void advance() noexcept;
    void advance(std::size_t count) noexcept;
    /// Steps over the next byte if it is this one.
    [[nodiscard]] bool take(char expected) noexcept;

private:
    std::string_view text_;
    std::size_t offset_ = 0;
    Place place_ = {};
};

}  // namespace holdfast::config
