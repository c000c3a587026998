#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "agents/log_level.hpp"
#include "calls/answer_text.hpp"
#include "calls/argument_refusal.hpp"
#include "calls/call.hpp"
#include "calls/call_trace.hpp"
#include "calls/failure.hpp"
#include "calls/input_round.hpp"
#include "dispatch/request_dispatcher.hpp"
#include "dispatch/request_params.hpp"
#include "dispatch/unknown_tool.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/object_edit.hpp"
#include "mcp/header_value.hpp"
#include "mcp/protocol_error.hpp"
#include "mcp/trace_context.hpp"

// Relays calls to downstreams.

namespace holdfast::dispatch {
namespace {

namespace json = boost::json;
using jsonrpc::append_quoted;
using jsonrpc::Message;

/// For a call that had to wait for the first list of its server.
constexpr resilience::Duration kMinTimeout = std::chrono::milliseconds{1};

// The headers of a modern request repeat some arguments; both must agree. An agent that never saw
// the tool in a list cannot know that it requires headers.
std::optional<std::string> mismatched_header(const agents::IncomingRequest& request,
                                             const surface::Callable& tool, bool is_listed) {
    if (tool.header_params.empty() || request.headers == nullptr || !request.via.empty() ||
        request.agent->era() == mcp::Era::legacy) {
        return std::nullopt;
    }
    const std::string_view text = request.message.body.find("arguments").value_or("{}");
    json::error_code error;
    const json::value arguments = json::parse({text.data(), text.size()}, error);
    for (const mcp::HeaderParam& param : tool.header_params) {
        const auto header = request.headers->find(param.header);
        if (!header && !is_listed) {
            continue;
        }
        const auto decoded = header ? mcp::text_of_header_value(*header) : std::nullopt;
        const bool is_unreadable = header && !decoded;
        const auto said = decoded ? std::optional<std::string_view>{*decoded} : std::nullopt;
        if (is_unreadable || !mcp::repeats_argument(said, param, arguments)) {
            return param.header;
        }
    }
    return std::nullopt;
}

// An agent over HTTP may name its trace in a header; `_meta` takes precedence.
void add_trace_of_headers(const agents::IncomingRequest& request, downstream::Request& relayed) {
    if (request.headers == nullptr || request.message.meta.find("traceparent")) {
        return;
    }
    const std::string members =
        mcp::trace_members(request.headers->find("traceparent").value_or(""),
                           request.headers->find("tracestate").value_or(""));
    if (!members.empty()) {
        relayed.meta_members.append(relayed.meta_members.empty() ? "" : ",").append(members);
    }
}

void refuse_in_shutdown(const agents::IncomingRequest& request, const agents::AgentRequest& origin,
                        const calls::CallPlan& plan, const calls::CallEnvironment& calls,
                        calls::Failure failure) {
    const bool is_tool = request.message.method == "tools/call";
    const std::string call_id{std::string_view{calls.call_ids->next()}};
    failure.code = calls::FailureCode::shutting_down;
    failure.tool = is_tool ? plan.callable->exposed_name : std::string{};
    failure.server = plan.server->name;
    failure.more_members = R"("callId":")" + call_id + "\"";
    calls::record_refusal(calls, origin, plan, failure, call_id);
    if (!is_tool) {
        request.port->finish(
            jsonrpc::error_text(request.message.id, {.code = mcp::kInternalError,
                                                     .message = calls::words_of(failure),
                                                     .data = calls::json_of(failure)}));
        return;
    }
    const calls::AnsweredRequest answered{
        .id = request.message.id, .method = request.message.method, .era = request.agent->era()};
    request.port->finish(calls::builtin_result_text(answered, calls::tool_result_of(failure)));
}

calls::Failure no_new_calls(resilience::Duration drain_for) {
    return {.message = "the gateway is being shut down and takes no new calls",
            .is_retryable = true,
            // By then this process has ended, and another may be there.
            .retry_after = drain_for};
}

/// Of a call that waited for its agent's answers when the gateway stopped: the server has it.
calls::Failure ended_while_parked(const calls::CallPlan& plan) {
    return {.message = "the gateway is being shut down and has ended this call",
            .is_retryable = plan.is_safe,
            .may_have_side_effects = !plan.is_safe};
}

}  // namespace

void RequestDispatcher::call_tool(const agents::IncomingRequest& request) const {
    const auto name = string_param(request.message, "name");
    const auto arguments = request.message.body.find("arguments");
    if (!name || (arguments && !arguments->starts_with('{'))) {
        refuse(request, {.code = mcp::kInvalidParams,
                         .message = "params.name must be a string, and params.arguments, if it is "
                                    "there, an object."});
        return;
    }
    LoopState& known = gateway_->on(request.loop);
    const auto surface = known.context().surface;
    if (const surface::BuiltinItems::Tool* own = surface->find_builtin_tool(*name)) {
        call_builtin(request, *own);
        return;
    }
    const surface::Callable* tool = surface->find_tool(*name);
    if (tool == nullptr) {
        call_unlisted(request, *name, surface);
        return;
    }
    const surface::RouteHistory& routes = gateway_->router().routes();
    const std::string agent =
        routes.is_empty() ? std::string{} : agent_key(*request.agent, request.session.get());
    const bool is_listed =
        !tool->header_params.empty() &&
        (surface->is_always_listed(*tool) || routes.was_shown(agent, tool->exposed_name));
    if (const auto header = mismatched_header(request, *tool, is_listed)) {
        request.port->finish(
            jsonrpc::error_text(request.message.id,
                                {.code = mcp::kHeaderMismatch,
                                 .message = *header + " does not repeat its argument."}),
            400);
        return;
    }
    if (!agent.empty()) {
        gateway_->router().on_called(agent, tool->exposed_name);
    }
    calls::CallPlan plan{
        .surface = surface,
        .server = tool->server,
        .callable = tool,
        .request = relayed_request(
            request.message, {.key = "name", .text = tool->own_name, .adds_arguments = true})};
    plan.request.agent_headers = request.agent_headers;
    plan.route = !request.via.empty()          ? "through call_tool"
                 : *name == tool->exposed_name ? "by its name"
                                               : "by another name of it";
    plan.retarget(*tool, known.rules_for(*tool, request.loop.timekeeper->now()));
    if (tool->needs_task) {
        plan.request.params_members += R"(,"task":{})";
    }
    if (calls::refuse_repetition(request, plan, *gateway_->calls()) ||
        calls::refuse_arguments(request, plan, *gateway_->calls())) {
        return;
    }
    start(request, std::move(plan));
}

void RequestDispatcher::get_prompt(const agents::IncomingRequest& request) const {
    const auto name = string_param(request.message, "name");
    auto surface = gateway_->surface();
    const surface::Callable* prompt = name ? surface->find_prompt(*name) : nullptr;
    if (prompt == nullptr) {
        const std::string words =
            name ? unknown_name_words("prompt", *name,
                                      surface->nearest_prompts(
                                          *name, names_to_compare(gateway_->options().surface)),
                                      gateway_->options().surface)
                 : "params.name must be a string.";
        refuse(request, {.code = mcp::kInvalidParams, .message = words});
        return;
    }
    calls::CallPlan plan{
        .surface = surface,
        .server = prompt->server,
        .callable = prompt,
        .request = relayed_request(request.message, {.key = "name", .text = prompt->own_name})};
    plan.request.name = prompt->own_name;
    start(request, std::move(plan));
}

void RequestDispatcher::read_resource(const agents::IncomingRequest& request) const {
    const auto uri = string_param(request.message, "uri");
    auto surface = gateway_->surface();
    if (const surface::BuiltinResource* own = uri ? surface->find_own_resource(*uri) : nullptr) {
        read_own(request, *own);
        return;
    }
    const surface::Server* server = uri ? owner_of(*surface, *uri) : nullptr;
    if (server == nullptr) {
        const bool is_legacy = request.agent->era() == mcp::Era::legacy;
        const std::string data =
            uri ? R"({"uri":)" + jsonrpc::quoted_text(*uri) + "}" : std::string{};
        refuse(request,
               {.code = uri && is_legacy ? mcp::kResourceNotFound : mcp::kInvalidParams,
                .message = uri ? "No server has this resource." : "params.uri must be a string.",
                .data = data});
        return;
    }
    calls::CallPlan plan{.surface = surface,
                         .server = server,
                         .uri = *uri,
                         .request = relayed_request(request.message, {})};
    plan.request.name = *uri;
    start(request, std::move(plan));
}

void RequestDispatcher::complete(const agents::IncomingRequest& request) const {
    std::string type;
    std::string name;
    const std::string_view ref = request.message.body.find("ref").value_or("{}");
    for (const auto& [key, value] : calls::members_of(ref)) {
        if (key == "type" && value.starts_with('"')) {
            type = jsonrpc::decoded(value);
        } else if ((key == "name" || key == "uri") && value.starts_with('"')) {
            name = jsonrpc::decoded(value);
        }
    }
    auto surface = gateway_->surface();
    const surface::Callable* prompt = type == "ref/prompt" ? surface->find_prompt(name) : nullptr;
    const surface::Server* server = prompt != nullptr ? prompt->server : nullptr;
    if (type == "ref/resource") {
        server = surface->find_template(name);
    }
    if (server == nullptr) {
        refuse(request, {.code = mcp::kInvalidParams,
                         .message = "params.ref names no prompt or resource that is listed."});
        return;
    }
    const std::string own_ref =
        prompt != nullptr
            ? jsonrpc::with_member(ref, "name", jsonrpc::quoted_text(prompt->own_name))
            : std::string{ref};
    calls::CallPlan plan{
        .surface = surface,
        .server = server,
        .request = relayed_request(request.message, {.key = "ref", .json = own_ref})};
    start(request, std::move(plan));
}

void RequestDispatcher::start(const agents::IncomingRequest& request, calls::CallPlan plan) const {
    agents::AgentRequest origin = request.owned();
    plan.request.agent = request.agent->face;
    if (!plan.rules) {
        plan.rules = plan.server->guard->rules(request.loop.timekeeper->now());
        plan.is_read = true;
        plan.is_safe = true;
    }
    auto overrides = overrides_of(request);
    if (request.waited > resilience::Duration::zero()) {
        const resilience::Duration timeout =
            policy::for_call(plan.rules->policy(), overrides).timeout;
        overrides.timeout = std::max(timeout - request.waited, kMinTimeout);
    }
    if (overrides != policy::CallOverrides{}) {
        plan.rules = guard::ServerGuard::rules_for_call(*plan.rules, overrides);
    }
    plan.wants_call_id = wants_call_id(request);
    plan.request.wants_progress |= plan.rules->policy().progress_resets;
    plan.request.agent_headers = request.agent_headers;
    add_trace_of_headers(request, plan.request);
    const bool is_modern = request.agent->era() == mcp::Era::modern;
    if (!is_modern && request.session) {
        // A modern downstream gets the log level of a session with each request.
        plan.request.log_level = request.session->log_level();
    }
    if (is_modern && string_param(request.message, "requestState")
                         .value_or("")
                         .starts_with(calls::kParkedPrefix)) {
        resume(request, std::move(origin), plan);
        return;
    }
    if (gateway_->is_draining()) {
        refuse_in_shutdown(request, origin, plan, *gateway_->calls(),
                           no_new_calls(gateway_->options().drain_for));
        return;
    }
    calls::Call::start(gateway_->calls(), std::move(origin), std::move(plan));
}

void RequestDispatcher::resume(const agents::IncomingRequest& request, agents::AgentRequest origin,
                               const calls::CallPlan& plan) const {
    calls::ParkedCalls& parked = *gateway_->calls()->parked;
    const std::string state = *string_param(request.message, "requestState");
    // Only the rightful request takes the call out of the table. For another agent's state, or that
    // of another call, it stays there until the rightful agent comes or the call ends.
    const auto expected = parked.find(state);
    const bool is_rightful =
        expected &&
        calls::is_same_request(*expected, calls::parked_request_of(origin, plan, nullptr));
    const auto call = is_rightful ? parked.take(state) : nullptr;
    if (!call && is_rightful && parked.was_cancelled(state)) {
        refuse_in_shutdown(request, origin, plan, *gateway_->calls(), ended_while_parked(plan));
        return;
    }
    if (!call) {
        refuse(request,
               {.code = mcp::kInvalidParams,
                .message = "The requestState is unknown, was changed, or belongs to another "
                           "request; call again without it."});
        return;
    }
    const auto responses = request.message.body.find("inputResponses");
    call->resume(std::move(origin), responses ? calls::members_of(*responses) : calls::Members{});
}

}  // namespace holdfast::dispatch
