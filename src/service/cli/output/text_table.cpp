#include "cli/output/text_table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text_cut.hpp"

namespace holdfast::cli {
namespace {

constexpr std::string_view kGap = "  ";

// Counted as a terminal shows it, but for characters that are two columns wide.
std::size_t width_of(std::string_view text) {
    return text.size() -
           static_cast<std::size_t>(std::ranges::count_if(text, base::continues_character));
}

}  // namespace

void TextTable::add(std::vector<std::string> row) {
    widths_.resize(std::max(widths_.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
        widths_[column] = std::max(widths_[column], width_of(row[column]));
    }
    rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
    std::string text;
    for (const std::vector<std::string>& row : rows_) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += row[column];
            if (column + 1 < row.size()) {
                line.append(widths_[column] - width_of(row[column]), ' ').append(kGap);
            }
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace holdfast::cli
