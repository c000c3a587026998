#pragma once

#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::front {

// What a browser has to be told before a page of another origin may call us: Cross-Origin Resource
// Sharing, in the Fetch standard. Which pages may is decided by the AgentGate; nothing here
// decides.
//
// `Access-Control-Allow-Credentials` is never sent. A page shows its token itself, and nothing that
// a browser would add on its own, such as a cookie, means anything to us.

/// Whether a browser asks, ahead of what a page wants to send, if it may. Browsers show no token
/// with that.
[[nodiscard]] bool is_preflight(const net::HttpRequest& request);

/// The answer to a preflight of a page that may call. Needs the `cors_headers` besides, like
/// every answer.
[[nodiscard]] net::HttpReply preflight_reply(const net::HttpRequest& request);

/// Header lines without which a browser keeps an answer from a page of that origin.
[[nodiscard]] std::string cors_headers(std::string_view origin);

}  // namespace holdfast::front
