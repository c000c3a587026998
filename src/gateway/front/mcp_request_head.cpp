#include "front/mcp_request_head.hpp"

#include "base/letter_case.hpp"

namespace holdfast::front {
namespace {

using net::HttpReply;

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
    return base::equals_ignoring_case(text.substr(0, prefix.size()), prefix);
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

HttpReply error_reply(int status, std::string_view id, const jsonrpc::ErrorObject& error) {
    return {.status = status, .body = jsonrpc::error_text(id, error)};
}

HttpReply error_reply(std::string_view id, const mcp::ProtocolError& fault) {
    return error_reply(fault.http_status, id,
                       {.code = fault.code, .message = fault.message, .data = fault.data});
}

HttpReply accepted() {
    return {.status = 202, .content_type = {}};
}

}  // namespace holdfast::front
