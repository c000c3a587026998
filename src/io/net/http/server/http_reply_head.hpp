#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::net {

/// What an answer says about the connection afterwards.
enum class HttpPersistence : std::uint8_t {
    implied,    ///< It stays open, the default of HTTP/1.1.
    announced,  ///< It stays open, and the client needs a header that says so.
    closes,
};

/// Returns the reason phrase of a status.
[[nodiscard]] std::string_view status_text(int status) noexcept;

/// Returns whether answers of that status have a body at all.
[[nodiscard]] bool may_have_body(int status) noexcept;

/// Appends the head of a complete answer, with the length of its body.
void append_reply_head(std::string& out, const HttpReply& reply, HttpPersistence persistence);

/// How the end of a stream is marked.
struct HttpStreamEnd {
    bool is_chunked = true;
    bool closes = false;  ///< The connection closes at the end.
};

/// Appends the head of an event stream; `headers` are further lines.
void append_stream_head(std::string& out, std::string_view headers, HttpStreamEnd end);

/// Makes a refusal by the server itself: `{"error":"..."}`. The message is plain text without
/// quotes.
[[nodiscard]] HttpReply make_refusal(int status, std::string_view message);

}  // namespace holdfast::net
