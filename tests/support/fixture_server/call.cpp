#include "support/fixture_server/call.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/incoming.hpp"
#include "mcp/method.hpp"
#include "support/fixture_server/server.hpp"
#include "support/fixture_server/session.hpp"

namespace holdfast::fixture {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

const json::object& object_in(const json::object& object, std::string_view key) {
    static const json::object none;
    const json::value* value = object.if_contains(key);
    const json::object* inner = value != nullptr ? value->if_object() : nullptr;
    return inner != nullptr ? *inner : none;
}

/// Returns the rank of a level in the order of severity.
std::size_t severity(std::string_view level) {
    constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                      "error", "critical", "alert",  "emergency"};
    return static_cast<std::size_t>(std::ranges::find(kLevels, level) - kLevels.begin());
}

}  // namespace

Call::Call(FixtureServer& server, const asio::any_io_executor& loop, CallParts parts)
    : server_(server), parts_(std::move(parts)), timer_(loop) {}

const json::object& Call::params() {
    if (!params_) {
        params_ = object_of(parts_.params);
    }
    return *params_;
}

const json::object& Call::arguments() {
    return object_in(params(), "arguments");
}

const json::object& Call::meta() {
    return object_in(params(), "_meta");
}

const json::object& Call::client_capabilities() {
    return is_modern() ? object_in(meta(), mcp::kCapabilitiesKey) : session().client_capabilities;
}

const json::object& Call::client_identity() {
    return is_modern() ? object_in(meta(), mcp::kClientInfoKey) : session().client_identity;
}

std::string Call::protocol_version() {
    return is_modern() ? string_in(meta(), mcp::kVersionKey) : session().protocol_version;
}

void Call::log(std::string_view level, std::string_view text) {
    const std::string wanted =
        is_modern() ? string_in(meta(), mcp::kLogLevelKey) : session().log_level;
    // A modern client that sets no level wants no log at all.
    if (is_over_ || wanted.empty() || severity(level) < severity(wanted)) {
        return;
    }
    parts_.outlet->send(jsonrpc::notification_text(
        "notifications/message", R"({"level":)" + jsonrpc::quoted_text(level) +
                                     R"(,"logger":"fixture","data":)" + jsonrpc::quoted_text(text) +
                                     "}"));
}

void Call::progress(std::size_t done, std::size_t total) {
    if (is_over_ || parts_.progress_token.empty()) {
        return;
    }
    parts_.outlet->send(jsonrpc::notification_text(
        "notifications/progress", R"({"progressToken":)" + parts_.progress_token +
                                      R"(,"progress":)" + std::to_string(done) + R"(,"total":)" +
                                      std::to_string(total) + "}"));
}

asio::awaitable<bool> Call::wait(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!is_over_ && std::chrono::steady_clock::now() < until) {
        timer_.expires_at(until);
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_return !is_over_;
}

asio::awaitable<bool> Call::woken_within(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    const auto [error] = co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return error == asio::error::operation_aborted;
}

std::string Call::text_of(const Answer& answer) {
    if (!is_modern()) {
        return jsonrpc::result_text(parts_.id, answer.result);
    }
    // Inserted at the front, so that the bytes of the result stay unchanged.
    std::string members = R"({"resultType":)" + jsonrpc::quoted_text(answer.type) +
                          R"(,"_meta":{"io.modelcontextprotocol/serverInfo":)" +
                          server_.identity() + (answer.meta.empty() ? "" : ",") + answer.meta + "}";
    const mcp::Method* method = mcp::find_method(parts_.method);
    if (method != nullptr && method->has_cache_hints && answer.type == "complete") {
        members += R"(,"ttlMs":0,"cacheScope":"private")";
    }
    members += answer.result == "{}" ? "" : ",";
    return jsonrpc::result_text(parts_.id, members + answer.result.substr(1));
}

void Call::finish(const Outcome& outcome) {
    if (is_over_) {
        return;
    }
    is_over_ = true;
    session().remove(*this);
    if (const auto* answer = std::get_if<Answer>(&outcome)) {
        parts_.outlet->finish(text_of(*answer), 200);
        return;
    }
    const auto& refusal = std::get<Refusal>(outcome);
    parts_.outlet->finish(
        jsonrpc::error_text(parts_.id, {refusal.code, refusal.message, refusal.data}),
        refusal.http_status);
}

void Call::cancel() {
    if (is_over_) {
        return;
    }
    is_over_ = true;
    session().remove(*this);
    server_.on_cancelled(*this);
    parts_.outlet->abandon();
    wake();
}

}  // namespace holdfast::fixture
