#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/text_cut.hpp"
#include "downstream/wire_text.hpp"
#include "mcp/protocol_error.hpp"

// The part of wire_text.hpp that parses answers. It runs once per link, so a parsed tree is
// acceptable.

namespace holdfast::downstream {
namespace {

namespace json = boost::json;

constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";
constexpr std::size_t kMaxInstructionBytes = std::size_t{64} * 1024;
constexpr std::size_t kMaxShownBytes = 500;

/// The answer's body is known to be a JSON object, but may exceed the limits of this parser.
json::object body_of(const Answer& answer) {
    json::error_code error;
    json::value value = json::parse(answer.body(), error, {}, {.max_depth = 512});
    return !error && value.is_object() ? std::move(value.get_object()) : json::object{};
}

const json::object* object_in(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr ? value->if_object() : nullptr;
}

std::string_view string_in(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    const json::string* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? std::string_view{text->data(), text->size()} : std::string_view{};
}

std::vector<std::string_view> strings_in(const json::object& object, std::string_view key) {
    std::vector<std::string_view> texts;
    const json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_array()) {
        return texts;
    }
    for (const json::value& element : value->get_array()) {
        if (const json::string* text = element.if_string()) {
            texts.emplace_back(text->data(), text->size());
        }
    }
    return texts;
}

/// Cuts the text at this size and marks the cut.
std::string cut(std::string_view text, std::size_t max_bytes) {
    const std::string_view kept = base::beginning_of(text, max_bytes);
    return kept.size() < text.size() ? std::string{kept} + "…" : std::string{kept};
}

std::string server_info_in(const json::object& body) {
    const json::object* meta = object_in(body, "_meta");
    const json::object* info = meta != nullptr ? object_in(*meta, kServerInfoKey) : nullptr;
    if (info == nullptr) {
        info = object_in(body, "serverInfo");
    }
    return info != nullptr ? json::serialize(*info) : std::string{};
}

Negotiated negotiated_in(const json::object& body, mcp::Revision revision) {
    const json::object* capabilities = object_in(body, "capabilities");
    return {.revision = revision,
            .capabilities = capabilities != nullptr ? json::serialize(*capabilities) : "{}",
            .server_info = server_info_in(body),
            .instructions = cut(string_in(body, "instructions"), kMaxInstructionBytes)};
}

CallFault refused(std::string message) {
    return {.kind = CallFault::Kind::not_connected, .message = std::move(message)};
}

}  // namespace

std::string error_message_of(const Answer& answer) {
    return cut(string_in(body_of(answer), "message"), kMaxShownBytes);
}

mcp::ProbeConclusion probe_conclusion(const Answer& answer, bool is_child) {
    const json::object body = body_of(answer);
    mcp::ProbeAnswer probe{.http_status = answer.http_status, .code = answer.error_code};
    if (answer.is_error()) {
        probe.kind = mcp::ProbeAnswer::Kind::rpc_error;
        if (const json::object* data = object_in(body, "data")) {
            probe.versions = strings_in(*data, "supported");
        }
    } else {
        probe.kind = mcp::ProbeAnswer::Kind::result;
        probe.versions = strings_in(body, "supportedVersions");
    }
    return mcp::concluded(probe, is_child);
}

NegotiatedResult negotiated_by_initialize(const Answer& answer) {
    if (answer.is_error()) {
        return refused("The server refused the handshake: " + error_message_of(answer) + " (code " +
                       std::to_string(answer.error_code) + ").");
    }
    const json::object body = body_of(answer);
    const std::string_view version = string_in(body, "protocolVersion");
    const auto revision = mcp::revision_from_text(version);
    if (!revision || mcp::era_of(*revision) != mcp::Era::legacy) {
        return refused("The server answered the handshake with the protocol version \"" +
                       cut(version, 40) + "\", which the gateway does not speak.");
    }
    return negotiated_in(body, *revision);
}

NegotiatedResult negotiated_by_discover(const Answer& answer, mcp::Revision revision) {
    if (answer.is_error()) {
        return refused("The server refused to describe itself: " + error_message_of(answer) +
                       " (code " + std::to_string(answer.error_code) + ").");
    }
    return negotiated_in(body_of(answer), revision);
}

CallFault not_modern_fault() {
    return refused("The server does not speak the protocol revision " +
                   std::string{mcp::text_of(mcp::kNewestModern)} +
                   ", which \"era\": \"modern\" in its entry requires.");
}

}  // namespace holdfast::downstream
