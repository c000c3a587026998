#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::admin {

/// A part of a URL with its `%XX` taken back; `+` stays. What is no such code stays as it is.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// The value of a key of the query, decoded; nothing if it is not there.
[[nodiscard]] std::optional<std::string> query_value(const net::HttpRequest& request,
                                                     std::string_view key);
/// The same as a number up to `max`; `otherwise` if it is none.
[[nodiscard]] std::size_t query_number(const net::HttpRequest& request, std::string_view key,
                                       std::size_t otherwise, std::size_t max);

}  // namespace holdfast::admin
