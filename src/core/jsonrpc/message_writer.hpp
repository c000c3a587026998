#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

// Messages are put together from bytes: what came in goes out as it is, without a tree between.
// Every text passed in must be valid JSON, except where it says otherwise.

namespace holdfast::jsonrpc {

struct ErrorObject {
    int code = 0;
    std::string_view message = {};  ///< Plain text.
    std::string_view data = {};     ///< JSON; empty = none.
};

/// An empty `params` leaves the member out.
[[nodiscard]] std::string request_text(std::string_view id, std::string_view method,
                                       std::string_view params);
[[nodiscard]] std::string notification_text(std::string_view method, std::string_view params);
[[nodiscard]] std::string result_text(std::string_view id, std::string_view result);
/// The same with a result that comes in pieces.
[[nodiscard]] std::string result_text(std::string_view id,
                                      std::initializer_list<std::string_view> pieces);
/// An empty id is left out: the request's could not be read.
[[nodiscard]] std::string error_text(std::string_view id, const ErrorObject& error);
/// The same with an error object that came from elsewhere.
[[nodiscard]] std::string relayed_error_text(std::string_view id, std::string_view error);

}  // namespace holdfast::jsonrpc
