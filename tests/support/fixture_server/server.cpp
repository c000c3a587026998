#include "support/fixture_server/server.hpp"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/header_params.hpp"
#include "mcp/header_value.hpp"
#include "support/fixture_server/methods.hpp"

namespace holdfast::fixture {
namespace {

namespace asio = boost::asio;
using jsonrpc::MessageKind;

mcp::StandardHeaders standard(const net::HttpHeaders& headers) {
    return {.protocol_version = headers.find("MCP-Protocol-Version"),
            .method = headers.find("Mcp-Method"),
            .name = headers.find("Mcp-Name")};
}

std::string text_in(const jsonrpc::ObjectView& object, std::string_view key) {
    const auto value = object.find(key);
    return value && value->starts_with('"') ? jsonrpc::decoded(*value) : std::string{};
}

mcp::ProtocolError no_handshake(const jsonrpc::Message& message) {
    mcp::ProtocolError fault{
        .code = mcp::kUnsupportedVersion,
        .message = "Unsupported protocol version: this server has no handshake",
        .data = R"({"supported":[")"};
    fault.data += mcp::text_of(mcp::kNewestModern);
    fault.data += R"("],"requested":)";
    jsonrpc::append_quoted(fault.data, text_in(message.body, "protocolVersion"));
    fault.data += "}";
    return fault;
}

CallParts parts_of(mcp::Era era, const Incoming& incoming) {
    const jsonrpc::Message& message = incoming.message;
    CallParts parts{.era = era,
                    .id = std::string{message.id},
                    .method = std::string{message.method},
                    .session = incoming.session,
                    .outlet = incoming.outlet};
    if (message.body.exists()) {
        parts.params = message.body.text();
    }
    if (const auto arguments = message.body.find("arguments")) {
        parts.arguments = *arguments;
    }
    if (const auto token = message.meta.find("progressToken")) {
        parts.progress_token = *token;
    }
    return parts;
}

asio::awaitable<void> run_waiting(std::shared_ptr<Call> call, WaitingTool tool) {
    call->finish(co_await tool(call));
}

void end_on_failure(const std::exception_ptr& failure) {
    if (failure) {
        std::rethrow_exception(failure);  // a bug of this server: ends the process
    }
}

}  // namespace

FixtureServer::FixtureServer(asio::any_io_executor loop, ServerOptions options)
    : loop_(std::move(loop)),
      options_(std::move(options)),
      identity_(R"({"name":)" + jsonrpc::quoted_text(options_.name) + R"(,"version":"1.0.0"})"),
      modern_bench_result_(R"({"resultType":"complete",)" + std::string{kBenchResult.substr(1)}) {
    tools_.add_all(content_tools());
    tools_.add_all(notifying_tools());
    tools_.add_all(asking_tools());
    tools_.add_all(input_required_tools());
    tools_.add_all(echoing_tools());
    tools_.add_all(troubled_tools());
    if (options_.has_undescribed_tool) {
        tools_.add_all({undescribed_tool()});
    }
    if (options_.has_broken_schema_tool) {
        tools_.add_all({broken_schema_tool()});
    }
    for (std::size_t index = 1; index <= options_.generated_tools; ++index) {
        tools_.add_all({generated_tool(index)});
    }
}

std::variant<mcp::Era, mcp::ProtocolError> FixtureServer::era_of(
    const jsonrpc::Message& message, const net::HttpHeaders* headers) const {
    if (options_.eras == ServedEras::legacy) {
        return mcp::Era::legacy;
    }
    const mcp::StandardHeaders named =
        headers != nullptr ? standard(*headers) : mcp::StandardHeaders{};
    auto era = mcp::classified(message, headers != nullptr ? &named : nullptr);
    const auto* found = std::get_if<mcp::Era>(&era);
    if (options_.eras == ServedEras::both || found == nullptr || *found == mcp::Era::modern) {
        return era;
    }
    if (message.kind != MessageKind::request) {
        return mcp::Era::modern;  // ignored, as by any modern server
    }
    if (message.method == "initialize") {
        return no_handshake(message);
    }
    return mcp::ProtocolError{.message = "Invalid params: the envelope in params._meta is missing"};
}

void FixtureServer::serve(const Incoming& incoming) {
    const auto era = era_of(incoming.message, incoming.headers);
    if (const auto* fault = std::get_if<mcp::ProtocolError>(&era)) {
        incoming.outlet->finish(fault_text(incoming.message.id, *fault), fault->http_status);
        return;
    }
    serve(std::get<mcp::Era>(era), incoming);
}

void FixtureServer::serve(std::optional<mcp::Era>& pinned, const Incoming& incoming) {
    const jsonrpc::Message& message = incoming.message;
    const bool is_request = message.kind == MessageKind::request;
    if (pinned == mcp::Era::modern && is_request && message.method == "initialize") {
        const mcp::ProtocolError fault = no_handshake(message);
        incoming.outlet->finish(fault_text(message.id, fault), fault.http_status);
        return;
    }
    const auto era = era_of(message, incoming.headers);
    const auto* found = std::get_if<mcp::Era>(&era);
    if (!pinned && found != nullptr && is_request && message.method != "server/discover") {
        pinned = *found;
    }
    if (pinned == mcp::Era::legacy) {
        serve(mcp::Era::legacy, incoming);
    } else {
        serve(incoming);
    }
}

void FixtureServer::serve(mcp::Era era, const Incoming& incoming) {
    switch (incoming.message.kind) {
        case MessageKind::request:
            on_request(era, incoming);
            break;
        case MessageKind::notification:
            on_notification(incoming);
            break;
        case MessageKind::result:
        case MessageKind::error:
            incoming.session->on_response(incoming.message);
            break;
    }
}

void FixtureServer::on_notification(const Incoming& incoming) const {
    const auto id = incoming.message.body.find("requestId");
    if (incoming.message.method == "notifications/cancelled" && id) {
        incoming.session->cancel(*id);
    }
}

void FixtureServer::on_request(mcp::Era era, const Incoming& incoming) {
    if (era == mcp::Era::modern) {
        if (const auto fault = fault_in(incoming)) {
            incoming.outlet->finish(fault_text(incoming.message.id, *fault), fault->http_status);
            return;
        }
    }
    if (try_fast_lane(era, incoming)) {
        return;
    }
    const auto call = std::make_shared<Call>(*this, loop_, parts_of(era, incoming));
    if (!incoming.session->add(call)) {
        call->finish(Refusal{.code = mcp::kInternalError, .message = "Too many requests"});
        return;
    }
    run(call);
}

std::optional<mcp::ProtocolError> FixtureServer::fault_in(const Incoming& incoming) const {
    if (incoming.headers == nullptr) {
        return mcp::fault_in_modern_request(incoming.message, nullptr);
    }
    const mcp::StandardHeaders headers = standard(*incoming.headers);
    if (auto fault = mcp::fault_in_modern_request(incoming.message, &headers)) {
        return fault;
    }
    return fault_in_header_params(incoming);
}

std::optional<mcp::ProtocolError> FixtureServer::fault_in_header_params(
    const Incoming& incoming) const {
    const Tool* tool = incoming.message.method == "tools/call"
                           ? tools_.find(text_in(incoming.message.body, "name"))
                           : nullptr;
    if (tool == nullptr || tool->header_params.empty()) {
        return std::nullopt;
    }
    const auto arguments_text = incoming.message.body.find("arguments");
    const boost::json::value arguments = object_of(arguments_text.value_or("{}"));
    for (const mcp::HeaderParam& param : tool->header_params) {
        const auto written = incoming.headers->find(param.header);
        const auto header = written ? mcp::text_of_header_value(*written) : std::nullopt;
        const bool is_garbled = written && !header;
        if (is_garbled || !mcp::repeats_argument(header, param, arguments)) {
            return mcp::ProtocolError{
                .code = mcp::kHeaderMismatch,
                .message = "Header mismatch: " + param.header + " does not repeat its argument"};
        }
    }
    return std::nullopt;
}

bool FixtureServer::try_fast_lane(mcp::Era era, const Incoming& incoming) const {
    const jsonrpc::Message& message = incoming.message;
    if (message.method != "tools/call" || message.body.find("name") != R"("bench_echo")") {
        return false;
    }
    const std::string_view result =
        era == mcp::Era::modern ? std::string_view{modern_bench_result_} : kBenchResult;
    incoming.outlet->finish(jsonrpc::result_text(message.id, result), 200);
    return true;
}

void FixtureServer::run(const std::shared_ptr<Call>& call) {
    call_count_ += call->method() == "tools/call" ? 1 : 0;
    const auto handler = handler_for(*call);
    if (const auto* refusal = std::get_if<Refusal>(&handler)) {
        call->finish(*refusal);
    } else if (const auto* plain = std::get_if<PlainTool>(&handler)) {
        call->finish((*plain)(*call));
    } else {
        asio::co_spawn(loop_, run_waiting(call, std::get<WaitingTool>(handler)), end_on_failure);
    }
}

void FixtureServer::on_cancelled(const Call& call) {
    if (call.method() == "subscriptions/listen") {
        audience_.leave(call);
        return;  // this is how a subscription ends
    }
    ++cancel_count_;
    options_.print_line("cancelled " + call.id());
}

std::string fault_text(std::string_view id, const mcp::ProtocolError& fault) {
    return jsonrpc::error_text(id, {fault.code, fault.message, fault.data});
}

}  // namespace holdfast::fixture
