#pragma once

#include <compare>

#include <boost/json/value.hpp>

namespace holdfast::schema {

/// JSON numbers are decimal. A double represents the shortest decimal that reads back as the same
/// double, which is the written number if that had at most 15 digits. The following functions are
/// exact on these decimals. Each argument must be a number.

/// Compares by value over all three representations: 1 equals 1.0.
[[nodiscard]] std::partial_ordering compare_numbers(const boost::json::value& left,
                                                    const boost::json::value& right);

/// Returns whether the number has no fraction: 1, 1.0 and 1e300 have none.
[[nodiscard]] bool is_integer(const boost::json::value& number);

/// Returns whether the number is a multiple of the divisor. The divisor must be above zero.
[[nodiscard]] bool is_multiple_of(const boost::json::value& number,
                                  const boost::json::value& divisor);

}  // namespace holdfast::schema
