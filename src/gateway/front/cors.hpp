#pragma once

#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::front {

// Cross-Origin Resource Sharing (Fetch standard): the headers that a browser needs before a page of
// another origin may call the gateway. AgentGate decides which pages may call.
//
// `Access-Control-Allow-Credentials` is never sent. A page presents its token itself, and the
// gateway ignores cookies and other credentials that a browser adds.

/// Whether the request is a browser's preflight. Browsers send no token with a preflight.
[[nodiscard]] bool is_preflight(const net::HttpRequest& request);

/// Returns the answer to a preflight of an allowed page. Like every answer it also needs the
/// `cors_headers`.
[[nodiscard]] net::HttpReply preflight_reply(const net::HttpRequest& request);

/// Returns the header lines without which a browser hides the answer from a page of this origin.
[[nodiscard]] std::string cors_headers(std::string_view origin);

}  // namespace holdfast::front
