#include "support/fixture_server/methods.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "jsonrpc/json_text.hpp"
#include "mcp/method.hpp"
#include "mcp/protocol_error.hpp"
#include "mcp/revision.hpp"
#include "support/fixture_server/prompts.hpp"
#include "support/fixture_server/resources.hpp"
#include "support/fixture_server/server.hpp"
#include "support/fixture_server/session.hpp"

namespace holdfast::fixture {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kCapabilities =
    R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
    R"("prompts":{"listChanged":true},"logging":{},"completions":{}})";

Outcome initialize(Call& call) {
    Session& session = call.session();
    const mcp::Revision version = mcp::negotiated(string_in(call.params(), "protocolVersion"));
    session.is_initialized = true;
    session.protocol_version = mcp::text_of(version);
    const auto take_object = [&](std::string_view key, boost::json::object& into) {
        const boost::json::value* value = call.params().if_contains(key);
        if (value != nullptr && value->is_object()) {
            into = value->get_object();
        }
    };
    take_object("clientInfo", session.client_identity);
    take_object("capabilities", session.client_capabilities);
    call.server().audience().join(call.shared_session());
    return Answer{.result = R"({"protocolVersion":")" + session.protocol_version +
                            R"(","capabilities":)" + std::string{kCapabilities} +
                            R"(,"serverInfo":)" + call.server().identity() +
                            R"(,"instructions":"A server for tests."})"};
}

Outcome discover(Call&) {
    std::string versions;
    for (const mcp::Revision revision : mcp::kModernRevisions) {
        versions += (versions.empty() ? "\"" : ",\"") + std::string{mcp::text_of(revision)} + "\"";
    }
    return Answer{.result = R"({"supportedVersions":[)" + versions + R"(],"capabilities":)" +
                            std::string{kCapabilities} +
                            R"(,"instructions":"A server for tests."})"};
}

Outcome ping(Call&) {
    return Answer{};
}

Outcome set_level(Call& call) {
    constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                      "error", "critical", "alert",  "emergency"};
    const std::string level = string_in(call.params(), "level");
    if (std::ranges::find(kLevels, level) == kLevels.end()) {
        return invalid_params("Invalid params: unknown level");
    }
    call.session().log_level = level;
    return Answer{};
}

Outcome subscribe(Call& call) {
    constexpr std::size_t kMaxSubscriptions = 1'000;
    if (call.session().subscriptions.size() >= kMaxSubscriptions) {
        return invalid_params("Too many subscriptions");
    }
    call.session().subscriptions.insert(string_in(call.params(), "uri"));
    return Answer{};
}

Outcome unsubscribe(Call& call) {
    call.session().subscriptions.erase(string_in(call.params(), "uri"));
    return Answer{};
}

awaitable<Outcome> listen(std::shared_ptr<Call> call) {
    if (!call->server().audience().listen(call)) {
        co_return Refusal{.code = mcp::kInternalError, .message = "Too many subscriptions"};
    }
    while (co_await call->wait(std::chrono::hours{1})) {
    }
    call->server().audience().leave(*call);
    co_return Answer{};  // ignored: the call has ended
}

awaitable<Outcome> list_tools(std::shared_ptr<Call> call) {
    const auto delay = call->server().options().list_delay;
    if (delay.count() > 0 && !co_await call->wait(delay)) {
        co_return Answer{};  // ignored: the call has ended
    }
    co_return call->server().tools().page(string_in(call->params(), "cursor"));
}

/// For lists of one page: every cursor is unknown.
Outcome only_page(Call& call, Answer page) {
    if (call.params().contains("cursor")) {
        return invalid_params("Invalid params: unknown cursor");
    }
    return page;
}

Outcome list_resources(Call& call) {
    return only_page(call, resource_list());
}

Outcome list_resource_templates(Call& call) {
    return only_page(call, resource_template_list());
}

Outcome list_prompts(Call& call) {
    return only_page(call, prompt_list());
}

struct MethodHandler {
    std::string_view method;
    std::variant<PlainTool, WaitingTool, Refusal> handler;
};

const std::array<MethodHandler, 14>& method_handlers() {
    static const std::array<MethodHandler, 14> handlers{{
        {"initialize", initialize},
        {"ping", ping},
        {"server/discover", discover},
        {"tools/list", list_tools},
        {"resources/list", list_resources},
        {"resources/templates/list", list_resource_templates},
        {"resources/read", read_resource},
        {"resources/subscribe", subscribe},
        {"resources/unsubscribe", unsubscribe},
        {"prompts/list", list_prompts},
        {"prompts/get", get_prompt},
        {"completion/complete", complete},
        {"logging/setLevel", set_level},
        {"subscriptions/listen", listen},
    }};
    return handlers;
}

std::variant<PlainTool, WaitingTool, Refusal> tool_handler(Call& call) {
    const std::string name = string_in(call.params(), "name");
    const Tool* tool = call.server().tools().find(name);
    if (tool == nullptr) {
        return invalid_params("Unknown tool: " + name);
    }
    const boost::json::value* arguments = call.params().if_contains("arguments");
    if (arguments != nullptr && !arguments->is_object()) {
        return invalid_params("Invalid params: arguments must be an object");
    }
    if (const auto* plain = std::get_if<PlainTool>(&tool->handler)) {
        return *plain;
    }
    return std::get<WaitingTool>(tool->handler);
}

}  // namespace

std::variant<PlainTool, WaitingTool, Refusal> handler_for(Call& call) {
    if (call.method() == "tools/call") {
        return tool_handler(call);
    }
    const mcp::Method* method = mcp::find_method(call.method());
    const auto found = std::ranges::find(method_handlers(), call.method(), &MethodHandler::method);
    if (method == nullptr || found == method_handlers().end() ||
        !(call.is_modern() ? method->in_modern : method->in_legacy)) {
        return Refusal{.code = mcp::kMethodNotFound,
                       .message = "Method not found: " + call.method()};
    }
    return found->handler;
}

}  // namespace holdfast::fixture
