#include "calls/notification_relay.hpp"

#include <charconv>
#include <string>

#include "agents/log_level.hpp"
#include "calls/input_round.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::calls {
namespace {

std::string progress_params(std::string_view params, std::string_view token) {
    const jsonrpc::PaddedText text{std::string{params}};
    return jsonrpc::ObjectEdit{jsonrpc::part_reader().read_object(text, text.view())}
        .set("progressToken", token)
        .text();
}

double progress_in(std::string_view params) {
    double progress = 0;
    for (const auto& [key, value] : members_of(params)) {
        if (key == "progress") {
            std::from_chars(value.data(), value.data() + value.size(), progress);
        }
    }
    return progress;
}

}  // namespace

void relay_progress(agents::AgentRequest& origin, const downstream::Notification& notification) {
    if (!origin.port || origin.progress_token.empty()) {
        return;
    }
    const double progress = progress_in(notification.params);
    if (origin.last_progress && progress <= *origin.last_progress) {
        return;
    }
    origin.last_progress = progress;
    origin.port->send(
        jsonrpc::notification_text(notification.method,
                                   progress_params(notification.params, origin.progress_token)),
        net::Importance::droppable);
}

void relay_log(const agents::AgentRequest& origin, std::string_view request_level,
               const downstream::Notification& notification) {
    if (!origin.port) {
        return;
    }
    const bool is_wanted =
        origin.is_modern()
            ? !request_level.empty() && agents::is_logged(notification.params, request_level)
            : origin.session != nullptr &&
                  agents::is_logged(notification.params, origin.session->log_level());
    if (is_wanted) {
        origin.port->send(jsonrpc::notification_text(notification.method, notification.params),
                          net::Importance::droppable);
    }
}

}  // namespace holdfast::calls
