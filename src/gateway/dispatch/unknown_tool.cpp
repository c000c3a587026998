#include "dispatch/unknown_tool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/secret.hpp"
#include "base/text_cut.hpp"
#include "calls/answer_text.hpp"
#include "calls/call_plan.hpp"
#include "calls/call_trace.hpp"
#include "calls/failure.hpp"
#include "dispatch/request_params.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::dispatch {
namespace {

/// An unknown name may have any length.
constexpr std::size_t kMaxShownName = 200;

bool is_tool_of(std::string_view name, std::string_view server) {
    const bool is_longer = name.size() > server.size() && name.starts_with(server);
    const std::string_view rest = name.substr(is_longer ? server.size() : 0);
    return is_longer && (rest.starts_with("__") || rest.starts_with('.'));
}

/// Describes a server that may have the tool, and whose list is unknown.
std::string text_about(const std::string& server, const downstream::DownstreamStatus& status) {
    if (status.state == downstream::LinkState::paused) {
        return fmt::format(
            "The server \"{}\" was paused by an operator, so its tools are not known.", server);
    }
    if (status.state == downstream::LinkState::waiting) {
        return fmt::format("The server \"{}\" is not connected, so its tools are not known yet: {}",
                           server, status.reason);
    }
    if (status.state == downstream::LinkState::ready) {
        return fmt::format("The server \"{}\" is connected, but its tools are not known yet. {}",
                           server, downstream::list_problems_text(status));
    }
    return fmt::format("The server \"{}\" is still connecting, so its tools are not known yet.",
                       server);
}

/// Returns a failure if the name refers to a server whose tools are unknown.
std::optional<calls::Failure> failure_of_silent_server(
    std::string_view name, const surface::Surface& surface,
    const std::vector<surface::Server>& servers) {
    const surface::Server* of_name = nullptr;
    for (const surface::Server& server : servers) {
        const bool is_closer = of_name == nullptr || server.name.size() > of_name->name.size();
        if (is_closer && is_tool_of(name, server.name)) {
            of_name = &server;
        }
    }
    if (of_name == nullptr ||
        std::ranges::any_of(surface.tools(), [of_name](const surface::Callable& tool) {
            return tool.server->name == of_name->name;
        })) {
        return std::nullopt;
    }
    const auto status = of_name->downstream->status();
    const bool is_listed = status.state == downstream::LinkState::ready &&
                           status.unread_lists == 0 && status.list_problems.empty();
    if (is_listed || status.state == downstream::LinkState::stopped) {
        return std::nullopt;
    }
    return calls::Failure{.code = calls::FailureCode::connection_lost,
                          .tool = std::string{base::beginning_of(name, kMaxShownName)},
                          .server = of_name->name,
                          .message = text_about(of_name->name, status),
                          .is_retryable = status.state != downstream::LinkState::paused};
}

void record(const agents::IncomingRequest& request, const Gateway& gateway,
            const calls::Failure& failure, std::string_view call_id) {
    calls::record_refusal(*gateway.calls(), {.agent = request.agent, .session = request.session},
                          {.request = {.method = "tools/call"}}, failure, call_id);
}

}  // namespace

std::string unknown_name_words(std::string_view kind, std::string_view name,
                               const std::vector<std::string_view>& nearest) {
    const std::string_view shown = base::beginning_of(name, kMaxShownName);
    return nearest.empty()
               ? fmt::format("There is no {} \"{}\".", kind, shown)
               : fmt::format("There is no {0} \"{1}\". Available {0}s, nearest names first: {2}.",
                             kind, shown, fmt::join(nearest, ", "));
}

void refuse_unknown_tool(const agents::IncomingRequest& request, std::string_view name,
                         const surface::Surface& surface, const Gateway& gateway) {
    const std::string call_id{std::string_view{gateway.calls()->call_ids->next()}};
    const std::string id_member = R"("callId":")" + call_id + "\"";
    if (auto silent = failure_of_silent_server(name, surface, *gateway.servers())) {
        silent->message = base::without_secrets(silent->message, *gateway.calls()->secrets->all());
        silent->more_members = id_member;
        record(request, gateway, *silent, call_id);
        const calls::AnsweredRequest answered{.id = request.message.id,
                                              .method = request.message.method,
                                              .era = request.agent->era()};
        request.port->finish(
            calls::builtin_result_text(answered, calls::tool_result_of(*silent, true)));
        return;
    }
    const std::string words = unknown_name_words(
        "tool", name, surface.nearest_tools(name, gateway.options().surface.suggested_names));
    const calls::Failure failure{.code = calls::FailureCode::tool_not_found,
                                 .tool = std::string{base::beginning_of(name, kMaxShownName)},
                                 .message = words,
                                 .more_members = id_member};
    record(request, gateway, failure, call_id);
    const std::string data = calls::json_of(failure);
    refuse(request, {.code = mcp::kInvalidParams, .message = words, .data = data});
}

}  // namespace holdfast::dispatch
