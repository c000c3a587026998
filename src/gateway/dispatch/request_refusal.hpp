#pragma once

#include "agents/incoming_request.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::dispatch {

/// Answers a request with an error of the gateway.
inline void refuse(const agents::IncomingRequest& request, const jsonrpc::ErrorObject& error) {
    request.port->finish(jsonrpc::error_text(request.message.id, error));
}

}  // namespace holdfast::dispatch
