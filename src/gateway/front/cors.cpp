#include "front/cors.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/http_token.hpp"
#include "base/letter_case.hpp"

namespace holdfast::front {
namespace {

// The headers that MCP needs. All are always allowed, so that one preflight covers later requests.
constexpr std::array<std::string_view, 8> kMcpHeaders{
    "accept",     "authorization", "content-type",         "last-event-id",
    "mcp-method", "mcp-name",      "mcp-protocol-version", "mcp-session-id"};

// Limit for the names that a page requests; the 128 header lines of a request fit.
constexpr std::size_t kMaxAskedBytes = std::size_t{4} * 1024;

// In the answer, `*` alone would allow all names.
constexpr std::string_view kWildcard = "*";

/// Returns the complete parts of a comma-separated list that are within the limit.
std::string_view first_parts(std::string_view list) {
    if (list.size() <= kMaxAskedBytes) {
        return list;
    }
    const std::size_t end = list.rfind(',', kMaxAskedBytes);
    return list.substr(0, end == std::string_view::npos ? 0 : end);
}

/// Returns the names that MCP needs and all others that the page requests. More headers do not make
/// a page of an allowed origin more dangerous: other programs may send any header, and no page can
/// set those that browsers reserve (`Host`, `Origin`, `Cookie`). A fixed list would exclude headers
/// that are not known in advance: `Mcp-Param-*`, `traceparent`, and credentials that a server's
/// config takes from the agent's headers.
std::string allowed_headers(std::string_view asked) {
    std::string names;
    for (const std::string_view name : kMcpHeaders) {
        names.append(names.empty() ? "" : ", ").append(name);
    }
    asked = first_parts(asked);
    while (!asked.empty()) {
        const std::string_view name = base::take_list_part(asked);
        const bool is_known =
            std::ranges::find(kMcpHeaders, base::lower_case(name)) != kMcpHeaders.end();
        if (base::is_token(name) && name != kWildcard && !is_known) {
            names.append(", ").append(name);
        }
    }
    return names;
}

}  // namespace

bool is_preflight(const net::HttpRequest& request) {
    return request.method == "OPTIONS" && request.headers.find("Origin") &&
           request.headers.find("Access-Control-Request-Method");
}

net::HttpReply preflight_reply(const net::HttpRequest& request) {
    const auto asked = request.headers.find("Access-Control-Request-Headers").value_or("");
    // Chromium caches a preflight for two hours at most. An origin that is removed from the config
    // is rejected at once anyway, when the request itself arrives.
    return {.status = 204,
            .headers =
                "Access-Control-Allow-Methods: GET, POST, DELETE\r\n"
                "Access-Control-Allow-Headers: " +
                allowed_headers(asked) + "\r\nAccess-Control-Max-Age: 7200\r\n",
            .content_type = {}};
}

std::string cors_headers(std::string_view origin) {
    // Never `*`: together with Vary this keeps caches from serving one page's answer to another.
    std::string lines = "Access-Control-Allow-Origin: ";
    lines += origin;
    lines +=
        "\r\nVary: Origin\r\n"
        "Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate\r\n";
    return lines;
}

}  // namespace holdfast::front
