#pragma once

#include <string>
#include <string_view>

#include "jsonrpc/object_view.hpp"

namespace holdfast::jsonrpc {

/// The codes that JSON-RPC itself defines.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;

enum class MessageKind { request, notification, result, error };

/// The parts of a message that the gateway reads. The rest stays bytes that are passed on
/// unchanged. All of it has been checked to be JSON.
///
/// Thread-safety: a view; valid until the reader reads again, and while the text lives.
struct Message {
    MessageKind kind = MessageKind::notification;
    /// As written: `1` and `"1"` are different ids. Empty for a notification, and for an error
    /// whose request could not be read.
    std::string_view id = {};
    std::string_view method = {};  ///< Decoded; empty for responses.
    /// The `params`, `result` or `error`. A request without params has none.
    ObjectView body = {};
    ObjectView meta = {};  ///< The body's `_meta`, if it is an object.
};

/// Why a text is not a message, with what an error response needs.
struct ReadFault {
    int code = kParseError;  ///< `kParseError` or `kInvalidRequest`.
    std::string message = {};
    std::string id = {};  ///< As written; empty if it could not be read.
};

}  // namespace holdfast::jsonrpc
