#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app {

/// Rows of text for people: all columns but the last are as wide as their widest text.
///
/// Thread-safety: none.
class TextTable final {
public:
    void add(std::vector<std::string> row);
    /// A line for each row, each with its line break.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> widths_;
};

/// The first line of a text for people, cut to so many bytes, without characters that could do
/// something to a terminal.
[[nodiscard]] std::string shown_line(std::string_view text, std::size_t max_bytes);
/// A text for people with its lines, without such characters.
[[nodiscard]] std::string shown_text(std::string_view text);

}  // namespace holdfast::app
