#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace holdfast::schema {

/// Appends "/token" with escapes.
void append_token(std::string& pointer, std::string_view token);
void append_token(std::string& pointer, std::size_t index);

/// Removes the first token of a pointer that begins with '/', and returns it without escapes.
[[nodiscard]] std::string take_token(std::string_view& pointer);

/// Returns the member or item that a token names, or null.
[[nodiscard]] const boost::json::value* child_of(const boost::json::value& value,
                                                 std::string_view token);

}  // namespace holdfast::schema
