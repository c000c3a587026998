#include "cli/client/gateway_client.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "downstream/tool_headers.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/members.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/header_value.hpp"
#include "mcp/protocol_error.hpp"
#include "mcp/revision.hpp"
#include "net/sse_parser.hpp"
#include "runtime/version.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kRequestId = "1";

std::string envelope() {
    return R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" +
           std::string{mcp::text_of(mcp::kNewestModern)} +
           R"(","io.modelcontextprotocol/clientInfo":)" + runtime::own_implementation() +
           // Commands show everything that there is, whatever agents are shown.
           R"(,"io.modelcontextprotocol/clientCapabilities":{},"dev.holdfast/all":true,)" +
           R"("dev.holdfast/callId":true})";
}

int number_member(std::string_view object, std::string_view key) {
    const std::string text = jsonrpc::member_of(object, key);
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);  // zero for another text
    return number;
}

/// The result in a message; nothing for a message that is not the answer.
std::optional<GatewayClientResult<std::string>> result_in(std::string_view message) {
    const jsonrpc::PaddedText text{std::string{message}};
    const auto read = jsonrpc::thread_reader().read(text);
    if (!read) {
        return GatewayClientFault{.message = "the answer is not an MCP message"};
    }
    if (read->kind == jsonrpc::MessageKind::error) {
        const std::string error{read->body.text()};
        const std::string said = jsonrpc::text_member_of(error, "message");
        return GatewayClientFault{.message = said.empty() ? "the request was refused" : said,
                                  .code = number_member(error, "code")};
    }
    if (read->kind != jsonrpc::MessageKind::result || read->id != kRequestId) {
        return std::nullopt;
    }
    return std::string{read->body.text()};
}

GatewayClientFault fault_of(const net::NetError& error) {
    return {.message = error.message, .is_unreachable = false};
}

}  // namespace

GatewayClient::GatewayClient(net::OwningLoop loop, GatewayClientOptions options, std::string target,
                             std::shared_ptr<net::HttpClient> http)
    : loop_(std::move(loop)),
      options_(std::move(options)),
      target_(std::move(target)),
      http_(std::move(http)) {}

GatewayClientResult<std::shared_ptr<GatewayClient>> GatewayClient::make(
    net::OwningLoop loop, GatewayClientOptions options) {
    const auto url = net::parsed_url(options.url);
    if (!url) {
        return GatewayClientFault{.message = "\"" + options.url +
                                             "\" is not a valid URL: " + url.error().message};
    }
    auto http = net::make_http_client(*url, {});
    if (!http) {
        return fault_of(http.error());
    }
    return std::shared_ptr<GatewayClient>{
        new GatewayClient{std::move(loop), std::move(options), url->target, std::move(*http)}};
}

asio::awaitable<GatewayClientResult<std::string>> GatewayClient::call(
    std::string tool, std::string arguments, resilience::Deadline deadline) {
    Question question{.method = "tools/call", .name = tool};
    question.members = R"("name":)" + jsonrpc::quoted_text(tool) + R"(,"arguments":)" + arguments;
    auto result = co_await result_of(question, deadline);
    // Few tools want headers, so the list is read only for those that have refused. They did not
    // run.
    if (!result && result.error().code == mcp::kHeaderMismatch) {
        auto headers = co_await headers_for(question, deadline);
        if (!headers) {
            co_return headers.error();
        }
        question.headers = std::move(*headers);
        result = co_await result_of(std::move(question), deadline);
    }
    co_return result;
}

asio::awaitable<GatewayClientResult<std::string>> GatewayClient::headers_for(
    Question call, resilience::Deadline deadline) {
    const auto tools = co_await this->tools(deadline);
    if (!tools) {
        co_return tools.error();
    }
    std::string lines;
    for (const std::string& definition : *tools) {
        if (jsonrpc::text_member_of(definition, "name") != call.name) {
            continue;
        }
        const std::array entries{
            downstream::ListedEntry{.key = call.name, .definition = definition}};
        const downstream::ToolHeaders headers = downstream::tool_headers_of(entries);
        if (const auto found = headers.table.params.find(call.name);
            found != headers.table.params.end()) {
            downstream::append_tool_headers(lines, found->second, call.members);
        }
    }
    co_return lines;
}

asio::awaitable<GatewayClientResult<std::vector<std::string>>> GatewayClient::tools(
    resilience::Deadline deadline) {
    std::vector<std::string> tools;
    std::string cursor;
    for (std::size_t page = 0; page < options_.max_pages; ++page) {
        Question question{.method = "tools/list"};
        if (!cursor.empty()) {
            question.members = R"("cursor":)" + cursor;
        }
        const auto result = co_await result_of(std::move(question), deadline);
        if (!result) {
            co_return result.error();
        }
        std::ranges::move(jsonrpc::items_of(jsonrpc::member_of(*result, "tools")),
                          std::back_inserter(tools));
        cursor = jsonrpc::member_of(*result, "nextCursor");
        if (!cursor.starts_with('"')) {
            co_return tools;
        }
    }
    co_return GatewayClientFault{.message = "the list of tools does not end"};
}

asio::awaitable<GatewayClientResult<std::string>> GatewayClient::result_of(
    Question question, resilience::Deadline deadline) {
    net::HttpClientRequest request{.method = "POST", .target = target_};
    request.headers =
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "MCP-Protocol-Version: " +
        std::string{mcp::text_of(mcp::kNewestModern)} +
        "\r\nMcp-Method: " + std::string{question.method} + "\r\n";
    if (!question.name.empty()) {
        request.headers += "Mcp-Name: " + mcp::header_value_of(question.name) + "\r\n";
    }
    if (!options_.token.empty()) {
        request.headers += "Authorization: Bearer " + options_.token + "\r\n";
    }
    request.headers += question.headers;
    request.body = jsonrpc::request_text(
        kRequestId, question.method,
        "{" + question.members + (question.members.empty() ? "" : ",") + envelope() + "}");
    auto response = co_await http_->send(loop_, std::move(request), deadline);
    if (!response) {
        GatewayClientFault fault = fault_of(response.error().error);
        fault.is_unreachable = !response.error().may_have_arrived;
        co_return fault;
    }
    co_return co_await answer_in(std::move(*response), deadline);
}

asio::awaitable<GatewayClientResult<std::string>> GatewayClient::answer_in(
    std::unique_ptr<net::HttpClientResponse> response, resilience::Deadline deadline) const {
    const int status = response->status();
    if (response->headers().find("Content-Type").value_or("").starts_with("text/event-stream")) {
        co_return co_await answer_in_stream(std::move(response), deadline);
    }
    const auto body = co_await response->read_all(options_.max_answer_bytes, deadline);
    if (!body) {
        co_return fault_of(body.error());
    }
    constexpr int kUnauthorized = 401;
    if (status == kUnauthorized) {
        co_return GatewayClientFault{.message = "the gateway requires a token; use --token"};
    }
    const auto result = result_in(*body);
    const bool is_message =
        result && (result->has_value() || body->find("\"jsonrpc\"") != std::string::npos);
    if (!is_message) {
        co_return GatewayClientFault{.message = "the answer has status " + std::to_string(status) +
                                                " and no result"};
    }
    co_return *result;
}

asio::awaitable<GatewayClientResult<std::string>> GatewayClient::answer_in_stream(
    std::unique_ptr<net::HttpClientResponse> response, resilience::Deadline deadline) const {
    net::SseParser parser{{.max_event_bytes = options_.max_answer_bytes}};
    while (true) {
        const auto bytes = co_await response->read_some(deadline);
        if (!bytes) {
            co_return fault_of(bytes.error());
        }
        if (bytes->empty()) {
            co_return GatewayClientFault{
                .message = "the connection closed before the answer was complete"};
        }
        parser.feed(*bytes);
        for (net::SseStep step = parser.next(); !std::holds_alternative<net::SseNeedBytes>(step);
             step = parser.next()) {
            const auto* event = std::get_if<net::SseEvent>(&step);
            if (event == nullptr) {
                co_return GatewayClientFault{.message = "the answer is too large"};
            }
            if (auto result = event->is_message() ? result_in(event->data) : std::nullopt) {
                co_return *result;
            }
        }
    }
}

}  // namespace holdfast::cli
