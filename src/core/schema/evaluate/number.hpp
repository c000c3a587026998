#pragma once

#include <compare>

#include <boost/json/value.hpp>

namespace holdfast::schema {

/// Numbers of JSON are decimal. A double stands for the shortest decimal that reads back as itself,
/// which is what was written wherever it was written with at most 15 digits; all of the following
/// is exact on these decimals. Each argument must be a number.

/// Compares by value over all three representations: 1 equals 1.0.
[[nodiscard]] std::partial_ordering compare_numbers(const boost::json::value& left,
                                                    const boost::json::value& right);

/// Whether the number has no fraction: 1, 1.0 and 1e300 have none.
[[nodiscard]] bool is_integer(const boost::json::value& number);

/// Whether the number is a whole multiple of the divisor. The divisor must be above zero.
[[nodiscard]] bool is_multiple_of(const boost::json::value& number,
                                  const boost::json::value& divisor);

}  // namespace holdfast::schema
