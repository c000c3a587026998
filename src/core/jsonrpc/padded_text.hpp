#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::jsonrpc {

/// The bytes of a message followed by the readable padding that fast parsing needs.
///
/// Thread-safety: a value.
class PaddedText {
public:
    /// The number of readable bytes after the text.
    static constexpr std::size_t kPadding = 64;

    PaddedText() : PaddedText(std::string{}) {}
    explicit PaddedText(std::string text) : bytes_(std::move(text)), size_bytes_(bytes_.size()) {
        bytes_.append(kPadding, '\0');
    }

    [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_bytes_}; }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

private:
    std::string bytes_;
    std::size_t size_bytes_;
};

}  // namespace holdfast::jsonrpc
