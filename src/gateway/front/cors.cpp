#include "front/cors.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/blanks.hpp"
#include "base/letter_case.hpp"

namespace holdfast::front {
namespace {

// What MCP needs. They are allowed unasked too, so that one preflight does for all that follows.
constexpr std::array<std::string_view, 8> kMcpHeaders{
    "accept",     "authorization", "content-type",         "last-event-id",
    "mcp-method", "mcp-name",      "mcp-protocol-version", "mcp-session-id"};

// Of the names that a page asks for. A request has at most 128 header lines; they fit.
constexpr std::size_t kMaxAskedBytes = std::size_t{4} * 1024;

// What RFC 9110 allows in a name besides letters and digits.
constexpr std::string_view kNameMarks = "!#$%&'*+-.^_`|~";

// By itself it is no name in the answer, but means all of them.
constexpr std::string_view kWildcard = "*";

bool is_name_character(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') ||
           kNameMarks.find(character) != std::string_view::npos;
}

bool is_name(std::string_view text) {
    return !text.empty() && text != kWildcard && std::ranges::all_of(text, is_name_character);
}

/// The whole parts of a list with commas that are within the limit.
std::string_view first_parts(std::string_view list) {
    if (list.size() <= kMaxAskedBytes) {
        return list;
    }
    const std::size_t end = list.rfind(',', kMaxAskedBytes);
    return list.substr(0, end == std::string_view::npos ? 0 : end);
}

/// Takes the next part of a list with commas off `list`, without the blanks around it.
std::string_view take_part(std::string_view& list) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    return base::without_blanks(part);
}

/// The names of MCP, and all others that the page asks for. Which headers a page of an allowed
/// origin sends makes it no more dangerous: programs may send any, and no page can send those that
/// browsers keep to themselves (`Host`, `Origin`, `Cookie`). A fixed list would only shut out what
/// is not known beforehand: `Mcp-Param-*`, `traceparent`, and the credentials that a server's
/// config takes from headers of agents.
std::string allowed_headers(std::string_view asked) {
    std::string names;
    for (const std::string_view name : kMcpHeaders) {
        names.append(names.empty() ? "" : ", ").append(name);
    }
    asked = first_parts(asked);
    while (!asked.empty()) {
        const std::string_view name = take_part(asked);
        const bool is_known =
            std::ranges::find(kMcpHeaders, base::lower_case(name)) != kMcpHeaders.end();
        if (is_name(name) && !is_known) {
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
    // Two hours are the most that Chromium takes. An origin that the config does not name any more
    // is refused at once all the same, by the request itself.
    return {.status = 204,
            .headers =
                "Access-Control-Allow-Methods: GET, POST, DELETE\r\n"
                "Access-Control-Allow-Headers: " +
                allowed_headers(asked) + "\r\nAccess-Control-Max-Age: 7200\r\n",
            .content_type = {}};
}

std::string cors_headers(std::string_view origin) {
    // Never `*`: with Vary no cache gives the answer of one page to another.
    std::string lines = "Access-Control-Allow-Origin: ";
    lines += origin;
    lines +=
        "\r\nVary: Origin\r\n"
        "Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate\r\n";
    return lines;
}

}  // namespace holdfast::front
