#pragma once

#include <optional>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::net {

/// Returns the token of `Authorization: Bearer …` as a view into the request. Nothing if there is
/// none.
[[nodiscard]] std::optional<std::string_view> bearer_token(const net::HttpRequest& request);

}  // namespace holdfast::net
