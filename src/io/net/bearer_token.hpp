#pragma once

#include <optional>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::net {

/// What a request shows as `Authorization: Bearer …`; a view into it. Nothing if it does not.
[[nodiscard]] std::optional<std::string_view> bearer_token(const net::HttpRequest& request);

}  // namespace holdfast::net
