#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_client.hpp"
#include "net/net_error.hpp"

namespace holdfast::net {

// Checks of requests, so that no value of a caller can begin another line or another request.

/// Rejects a method that is not a token, and a target with a blank or a control character.
[[nodiscard]] std::optional<NetError> fault_in_request_line(const HttpClientRequest& request);

/// Rejects malformed header lines and those that the client writes itself.
[[nodiscard]] std::optional<NetError> fault_in_header_lines(std::string_view lines);

/// Replaces `out` by the head of a valid request.
void write_request_head(std::string& out, const HttpClientRequest& request,
                        std::string_view authority);

}  // namespace holdfast::net
