#include "dispatch/request_params.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <system_error>

#include "agents/log_level.hpp"
#include "jsonrpc/json_text.hpp"
#include "mcp/incoming.hpp"
#include "mcp/method.hpp"

namespace holdfast::dispatch {
namespace {

constexpr std::array<std::string_view, 6> kOwnMeta{
    "progressToken",       mcp::kVersionKey,  mcp::kClientInfoKey,
    mcp::kCapabilitiesKey, mcp::kLogLevelKey, "io.modelcontextprotocol/related-task",
};

constexpr std::string_view kTimeoutKey = "dev.holdfast/timeout";
constexpr std::string_view kDebugKey = "dev.holdfast/debug";
constexpr double kMaxWishedSeconds = 86'400;

void append_key(std::string& out, std::string_view key_text) {
    if (!out.empty()) {
        out += ',';
    }
    out.append(key_text).push_back(':');
}

void append_member(std::string& out, std::string_view key_text, std::string_view value) {
    append_key(out, key_text);
    out.append(value);
}

}  // namespace

std::optional<std::string> string_param(const jsonrpc::Message& message, std::string_view key) {
    const auto value = message.body.find(key);
    const bool is_string = value && value->starts_with('"');
    return is_string ? std::optional{jsonrpc::decoded(*value)} : std::nullopt;
}

std::string params_members(const jsonrpc::Message& message, const ParamEdit& edit) {
    std::string members;
    members.reserve(message.body.text().size() + edit.text.value_or("").size() + edit.json.size() +
                    32);
    bool has_arguments = !edit.adds_arguments;
    for (const jsonrpc::Field& field : message.body.fields()) {
        if (field.key == "_meta") {
            continue;
        }
        has_arguments = has_arguments || field.key == "arguments";
        if (field.key == edit.key && edit.text) {
            append_key(members, field.key_text);
            jsonrpc::append_quoted(members, *edit.text);
        } else {
            append_member(members, field.key_text, field.key == edit.key ? edit.json : field.value);
        }
    }
    if (!has_arguments) {
        append_member(members, R"("arguments")", "{}");
    }
    return members;
}

std::string meta_members(const jsonrpc::Message& message) {
    std::string members;
    for (const jsonrpc::Field& field : message.meta.fields()) {
        const bool is_own = field.key.starts_with("dev.holdfast/") ||
                            std::ranges::find(kOwnMeta, field.key) != kOwnMeta.end();
        if (!is_own) {
            append_member(members, field.key_text, field.value);
        }
    }
    return members;
}

downstream::Request relayed_request(const jsonrpc::Message& message, const ParamEdit& edit) {
    downstream::Request request;
    // The table's name has static storage; the message's does not.
    request.method = mcp::find_method(message.method)->name;
    request.params_members = params_members(message, edit);
    request.meta_members = meta_members(message);
    request.wants_progress = message.meta.find("progressToken").has_value();
    const auto level = message.meta.find(mcp::kLogLevelKey);
    if (level && level->starts_with('"')) {
        request.log_level = agents::log_level_named(jsonrpc::between_quotes(*level)).value_or("");
    }
    return request;
}

policy::CallOverrides overrides_of(const agents::IncomingRequest& request) {
    policy::CallOverrides overrides;
    overrides.debug = request.message.meta.find(kDebugKey) == "true";
    if (request.headers != nullptr && request.headers->find("Holdfast-Debug") == "1") {
        overrides.debug = true;
    }
    const std::string_view seconds_text = request.message.meta.find(kTimeoutKey).value_or("");
    double seconds = 0;
    const char* const end = std::to_address(seconds_text.end());
    const auto read = std::from_chars(std::to_address(seconds_text.begin()), end, seconds);
    if (read.ec == std::errc{} && read.ptr == end && seconds > 0 && seconds < kMaxWishedSeconds) {
        overrides.timeout = std::chrono::duration_cast<resilience::Duration>(
            std::chrono::duration<double>{seconds});
    }
    return overrides;
}

bool wants_call_id(const agents::IncomingRequest& request) {
    return request.message.meta.find("dev.holdfast/callId") == "true" ||
           overrides_of(request).debug;
}

void refuse(const agents::IncomingRequest& request, const jsonrpc::ErrorObject& error) {
    request.port->finish(jsonrpc::error_text(request.message.id, error));
}

}  // namespace holdfast::dispatch
