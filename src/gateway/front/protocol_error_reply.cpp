#include "front/protocol_error_reply.hpp"

namespace holdfast::front {

using net::HttpReply;

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
