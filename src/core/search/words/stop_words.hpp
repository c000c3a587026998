#pragma once

#include <string_view>

namespace holdfast::search {

/// Returns whether a word carries no meaning for a search: common English words, and the parts that
/// an apostrophe separates.
[[nodiscard]] bool is_stop_word(std::string_view word);

}  // namespace holdfast::search
