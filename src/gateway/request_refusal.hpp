#pragma once

#include "gateway/incoming_request.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::gateway {

/// Answers a request with an error of ours.
inline void refuse(const IncomingRequest& request, const jsonrpc::ErrorObject& error) {
    request.port->finish(jsonrpc::error_text(request.message.id, error));
}

}  // namespace holdfast::gateway
