#pragma once

#include <string>
#include <string_view>

#include "jsonrpc/object_view.hpp"

namespace holdfast::jsonrpc {

/// The codes of JSON-RPC itself.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;

enum class MessageKind { request, notification, result, error };

/// What the gateway looks at in a message. Everything else stays bytes, to be passed on as they
/// came. All of it has been checked to be JSON.
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

/// Why a text is not a message, ready to be answered.
struct ReadFault {
    int code = kParseError;  ///< `kParseError` or `kInvalidRequest`.
    std::string message = {};
    std::string id = {};  ///< As written, if one could be read.
};

}  // namespace holdfast::jsonrpc
