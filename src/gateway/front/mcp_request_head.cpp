#include "front/mcp_request_head.hpp"

#include <cstddef>

#include "front/protocol_error_reply.hpp"

namespace holdfast::front {
namespace {

using net::HttpReply;

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
    if (text.size() < prefix.size()) {
        return false;
    }
    for (std::size_t index = 0; index < prefix.size(); ++index) {
        const char letter = text[index];
        const char lower = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
        if (lower != prefix[index]) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::optional<HttpReply> refused_head(const net::HttpRequest& request) {
    if (request.method != "POST" && request.method != "GET" && request.method != "DELETE") {
        return HttpReply{.status = 405,
                         .headers = "Allow: POST, GET, DELETE\r\n",
                         .body = R"({"error":"Use POST, GET or DELETE."})"};
    }
    if (request.method == "POST" &&
        !starts_with_ignoring_case(request.headers.find("Content-Type").value_or(""),
                                   "application/json")) {
        return error_reply(
            415, {}, {.code = kSessionFault, .message = "Content-Type must be application/json."});
    }
    if (request.method == "POST" && !accepts(request, "application/json") &&
        !accepts(request, "text/event-stream")) {
        return error_reply(406, {},
                           {.code = kSessionFault,
                            .message = "Accept must name application/json and "
                                       "text/event-stream."});
    }
    return std::nullopt;
}

bool accepts(const net::HttpRequest& request, std::string_view type) {
    const auto accept = request.headers.find("Accept");
    return !accept || accept->find(type) != std::string_view::npos ||
           accept->find("*/*") != std::string_view::npos;
}

mcp::StandardHeaders standard_headers(const net::HttpRequest& request) {
    return {.protocol_version = request.headers.find("MCP-Protocol-Version"),
            .method = request.headers.find("Mcp-Method"),
            .name = request.headers.find("Mcp-Name")};
}

}  // namespace holdfast::front
