#pragma once

#include <string_view>

namespace holdfast::config {

// Each says what is wrong with a value and what to change, or returns an empty text. None of them
// repeats the value: it may be a secret.

/// For a URL with one of two schemes, as in "http" and "https".
[[nodiscard]] std::string_view http_url_fault(std::string_view url);
[[nodiscard]] std::string_view websocket_url_fault(std::string_view url);
[[nodiscard]] bool is_websocket_url(std::string_view url);

[[nodiscard]] std::string_view header_fault(std::string_view name, std::string_view value);
[[nodiscard]] std::string_view variable_fault(std::string_view name);
[[nodiscard]] std::string_view server_name_fault(std::string_view name);
/// For an origin as browsers send it: `https://host` or `http://host:port`.
[[nodiscard]] std::string_view origin_fault(std::string_view origin);
[[nodiscard]] std::string_view host_fault(std::string_view host);
/// For a path that others connect to: "/bridge/tab".
[[nodiscard]] std::string_view listen_path_fault(std::string_view path);

}  // namespace holdfast::config
