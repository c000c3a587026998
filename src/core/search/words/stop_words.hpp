#pragma once

#include <string_view>

namespace holdfast::search {

/// English words, and the pieces that an apostrophe leaves, that say nothing about what is wanted.
[[nodiscard]] bool is_stop_word(std::string_view word);

}  // namespace holdfast::search
