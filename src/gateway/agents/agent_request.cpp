#include "agents/agent_request.hpp"

#include <utility>

#include "jsonrpc/message.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::agents {

bool try_enter(const AgentRequest& request, std::weak_ptr<AgentCall> call) {
    if (!request.session || request.session->try_enter(request.id, std::move(call))) {
        return true;
    }
    request.port->finish(jsonrpc::error_text(
        request.id, {.code = jsonrpc::kInvalidRequest,
                     .message = "A request with this id is still being worked on, or too many are; "
                                "use another id for each request."}));
    return false;
}

void leave(const AgentRequest& request) {
    if (request.session) {
        request.session->leave(request.id);
    }
}

}  // namespace holdfast::agents
