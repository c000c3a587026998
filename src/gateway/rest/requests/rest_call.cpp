#include "rest/requests/rest_call.hpp"

#include <utility>

#include "downstream/credential.hpp"
#include "downstream/http_fault.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/protocol_error.hpp"
#include "mcp/trace_context.hpp"
#include "rest/answers/response_reader.hpp"
#include "rest/requests/request_builder.hpp"

namespace holdfast::rest {
namespace {

namespace asio = boost::asio;
using downstream::CallFault;
using downstream::CallResult;
using Kind = CallFault::Kind;

constexpr int kFirstRedirect = 300;

downstream::Answer error_answer(int code, std::string_view message) {
    const std::string text = jsonrpc::error_text("1", {.code = code, .message = message});
    jsonrpc::PaddedText padded{text};
    const std::string_view whole = padded.view();
    const std::size_t start = whole.find("\"error\":") + std::string_view{"\"error\":"}.size();
    const std::string_view body = whole.substr(start, whole.size() - 1 - start);
    downstream::Answer answer{std::move(padded), body, true};
    answer.error_code = code;
    answer.delivery = resilience::Delivery::not_sent;
    return answer;
}

/// A tool call that is ready to be sent.
struct PreparedCall {
    const RestTool* tool = nullptr;
    RestRequest request = {};
    std::vector<std::string> secrets = {};
    std::string arguments = {};  ///< For the tool's template; empty if it has none.
};
using Preparation = resilience::Result<PreparedCall, downstream::Answer>;

// Returns the trace context of the agent's request as header lines.
std::string trace_lines(const std::string& meta_members) {
    const jsonrpc::PaddedText text{"{" + meta_members + "}"};
    const auto meta = jsonrpc::part_reader().read_object(text, text.view());
    const auto value_of = [&meta](std::string_view key) {
        const std::string_view value = meta.find(key).value_or("");
        return value.starts_with('"') ? jsonrpc::decoded(value) : std::string{};
    };
    return mcp::trace_header_lines(value_of("traceparent"), value_of("tracestate"));
}

Preparation refused(const RestBackend& backend, std::string_view words) {
    return refusal_with(words, backend.api().refusals);
}

Preparation prepared(const RestBackend& backend, const downstream::Request& request) {
    const jsonrpc::PaddedText params{'{' + request.params_members + '}'};
    jsonrpc::MessageReader reader;
    const jsonrpc::ObjectView members = reader.read_object(params, params.view());
    const std::string_view name = members.find("name").value_or("");
    PreparedCall call{
        .tool = backend.find_tool(name.starts_with('"') ? jsonrpc::decoded(name) : std::string{})};
    if (call.tool == nullptr) {
        return error_answer(mcp::kInvalidParams, "There is no such tool.");
    }
    const auto arguments = Arguments::read(members.find("arguments").value_or(""));
    if (!arguments) {
        return refused(backend, arguments.error().message);
    }
    auto built = built_request(backend.api(), *call.tool, *arguments);
    if (!built) {
        return refused(backend, built.error().message + " Nothing was sent.");
    }
    auto credentials =
        downstream::credential_lines(backend.api().credentials, request.agent_headers.get());
    if (!credentials) {
        return refused(backend, credentials.error().message);
    }
    call.request = std::move(*built);
    call.request.headers += credentials->lines;
    call.request.headers += trace_lines(request.meta_members);
    call.secrets = std::move(credentials->secrets);
    if (call.tool->text) {
        call.arguments = members.find("arguments").value_or("");
    }
    return call;
}

asio::awaitable<CallResult> run_tool_call(std::shared_ptr<const RestBackend> backend,
                                          net::OwningLoop caller, downstream::Request request) {
    auto preparation = prepared(*backend, request);
    if (!preparation) {
        co_return std::move(preparation).error();
    }
    const PreparedCall call = std::move(preparation).value();
    const RestApi& api = backend->api();
    const auto deadline = request.deadline.tightened(caller.timekeeper->now(), api.timeout);
    auto sent = co_await backend->client().send(caller,
                                                {.method = call.tool->method,
                                                 .target = call.request.target,
                                                 .headers = call.request.headers,
                                                 .body = call.request.body},
                                                deadline);
    if (!sent) {
        co_return fault_of_exchange(sent.error());
    }
    const std::unique_ptr<net::HttpClientResponse> response = std::move(*sent);
    const int status = response->status();
    const auto body = co_await response->read_all(api.max_answer_bytes, deadline);
    // For an error or redirect the status suffices, even if the body exceeds the limit.
    const bool is_status_enough =
        !body && body.error().code == net::NetErrc::too_large && status >= kFirstRedirect;
    if (!body && !is_status_enough) {
        co_return fault_of_exchange({.error = body.error(), .may_have_arrived = true});
    }
    ReadAnswer read = read_answer(api, *call.tool,
                                  {.status = status,
                                   .headers = response->headers(),
                                   .body = body ? std::string_view{*body} : std::string_view{},
                                   .arguments = call.arguments},
                                  call.secrets);
    if (!read.missing_fields.empty()) {
        backend->warn_of_missing(*call.tool, read.missing_fields);
    }
    if (read.result) {
        read.result->http_status = status;
    }
    co_return std::move(read.result);
}

}  // namespace

asio::awaitable<CallResult> run_rest_call(std::shared_ptr<const RestBackend> backend,
                                          net::OwningLoop caller, downstream::Request request) {
    if (request.method == "tools/call") {
        co_return co_await run_tool_call(std::move(backend), std::move(caller), std::move(request));
    }
    if (request.method == "tools/list") {
        co_return answer_with(backend->tool_list());
    }
    if (request.method == "ping") {
        downstream::Answer answer = answer_with("{}");
        // The answer proves nothing about the API.
        answer.delivery = resilience::Delivery::not_sent;
        co_return answer;
    }
    co_return error_answer(mcp::kMethodNotFound, "A plain HTTP API has tools only.");
}

CallFault fault_of_exchange(const net::HttpClientError& error) {
    CallFault fault = downstream::fault_of(error);
    if (fault.kind == Kind::not_connected) {
        fault.kind = Kind::unreachable;
    } else if (error.error.code == net::NetErrc::bad_answer) {
        fault = downstream::malformed_fault(
            "The server's answer is not HTTP: " + error.error.message + ".");
    } else if (fault.kind == Kind::too_large && error.may_have_arrived) {
        fault.message = "The server's answer is too large: " + error.error.message + ".";
    } else if (fault.kind == Kind::timed_out && !error.may_have_arrived) {
        fault.message = "The request could not be sent in time: " + error.error.message + ".";
    }
    return fault;
}

}  // namespace holdfast::rest
