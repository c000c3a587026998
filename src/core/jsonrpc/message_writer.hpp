#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

// Messages are assembled from bytes: a relayed part is copied unchanged, without building a tree.
// Every argument must be valid JSON unless its comment says otherwise.

namespace holdfast::jsonrpc {

struct ErrorObject {
    int code = 0;
    std::string_view message = {};  ///< Plain text.
    std::string_view data = {};     ///< JSON; empty = none.
};

/// Omits the member if `params` is empty.
[[nodiscard]] std::string request_text(std::string_view id, std::string_view method,
                                       std::string_view params);
[[nodiscard]] std::string notification_text(std::string_view method, std::string_view params);
[[nodiscard]] std::string result_text(std::string_view id, std::string_view result);
/// Joins the result from several pieces.
[[nodiscard]] std::string result_text(std::string_view id,
                                      std::initializer_list<std::string_view> pieces);
/// Omits the id if it is empty: the id of the request could not be read.
[[nodiscard]] std::string error_text(std::string_view id, const ErrorObject& error);
/// Relays an error object of another peer.
[[nodiscard]] std::string relayed_error_text(std::string_view id, std::string_view error);

}  // namespace holdfast::jsonrpc
