#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/printable.hpp"

namespace holdfast::cli {

/// Whether texts of others are cut to a line. A terminal shows the beginning; a file or another
/// program gets the whole line.
enum class LineCut : std::uint8_t { none, for_terminal };

[[nodiscard]] LineCut line_cut_of_output();

/// The first line of a text, for a terminal at most this long.
[[nodiscard]] inline std::string cut_line(std::string_view text, std::size_t max_bytes,
                                          LineCut cut) {
    return base::shown_line(text, cut == LineCut::none ? text.size() : max_bytes);
}

}  // namespace holdfast::cli
