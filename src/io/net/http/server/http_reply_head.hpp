#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::net {

/// What becomes of a connection after an answer, as far as the answer has to say it.
enum class HttpPersistence : std::uint8_t {
    implied,    ///< It stays open, as is usual in HTTP/1.1.
    announced,  ///< It stays open, and the client is one that wants to be told.
    closes,
};

/// The words that go with a status.
[[nodiscard]] std::string_view status_text(int status) noexcept;

/// Whether answers of that status have a body at all.
[[nodiscard]] bool may_have_body(int status) noexcept;

/// Appends the head of a whole answer, with the length of its body.
void append_reply_head(std::string& out, const HttpReply& reply, HttpPersistence persistence);

/// How the end of a stream is told.
struct HttpStreamEnd {
    bool is_chunked = true;
    bool closes = false;  ///< The connection ends with it.
};

/// Appends the head of an event stream; `headers` are further lines.
void append_stream_head(std::string& out, std::string_view headers, HttpStreamEnd end);

/// A refusal of our own: `{"error":"..."}`. The message is plain text without quotes.
[[nodiscard]] HttpReply make_refusal(int status, std::string_view message);

}  // namespace holdfast::net
