#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::admin {

/// Returns the decoded value of a query key; nothing if it is absent.
[[nodiscard]] std::optional<std::string> query_value(const net::HttpRequest& request,
                                                     std::string_view key);
/// Returns the fault of the first query key that must be a number and has another value.
[[nodiscard]] std::optional<std::string> invalid_number(const net::HttpRequest& request);
/// Returns the value as a number up to `max`; `otherwise` if it is absent or invalid.
[[nodiscard]] std::size_t query_number(const net::HttpRequest& request, std::string_view key,
                                       std::size_t otherwise, std::size_t max);

}  // namespace holdfast::admin
