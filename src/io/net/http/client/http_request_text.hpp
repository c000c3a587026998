#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_client.hpp"
#include "net/net_error.hpp"

namespace holdfast::net {

// What makes a request impossible to send, so that nothing that a caller passes on can begin a
// line, or a request, of its own.

/// A method that is no token, a target with a blank or a control character.
[[nodiscard]] std::optional<NetError> fault_in_request_line(const HttpClientRequest& request);

/// Header lines that are broken or that the client writes itself.
[[nodiscard]] std::optional<NetError> fault_in_header_lines(std::string_view lines);

/// Writes the head of a request without a fault, in place of what is in `out`.
void write_request_head(std::string& out, const HttpClientRequest& request,
                        std::string_view authority);

}  // namespace holdfast::net
