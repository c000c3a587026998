#pragma once

#include <cstddef>
#include <string>

#include "config/range.hpp"

namespace holdfast::config {

// Regular expressions for the texts of quantities within a range, for a JSON Schema. They accept
// everything that `parsed_duration` and `parsed_byte_size` read and that is within the range. They
// also accept a few texts outside of it: fractions of a unit that is larger than the range.

[[nodiscard]] std::string duration_pattern(const Range<resilience::Duration>& range);
[[nodiscard]] std::string byte_size_pattern(const Range<std::size_t>& range);

}  // namespace holdfast::config
