#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::cli {

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

}  // namespace holdfast::cli
