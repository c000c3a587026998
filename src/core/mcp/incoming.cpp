#include "mcp/incoming.hpp"

#include <algorithm>
#include <string>

#include "jsonrpc/json_text.hpp"
#include "mcp/header_value.hpp"
#include "mcp/method.hpp"

namespace holdfast::mcp {
namespace {

using jsonrpc::Message;
using jsonrpc::MessageKind;

ProtocolError bad_request(int code, std::string message) {
    return {.http_status = 400, .code = code, .message = std::move(message), .data = {}};
}

bool names_modern_version(const StandardHeaders* headers) noexcept {
    if (headers == nullptr || !headers->protocol_version) {
        return false;
    }
    const auto revision = revision_from_text(*headers->protocol_version);
    return revision && era_of(*revision) == Era::modern;
}

bool is_string(std::optional<std::string_view> value) noexcept {
    return value && value->starts_with('"');
}

std::optional<ProtocolError> version_header_fault(const Message& message,
                                                  const StandardHeaders& headers) {
    const auto version = message.meta.find(kVersionKey);
    if (!is_string(version) || !headers.protocol_version ||
        jsonrpc::says(*version, *headers.protocol_version)) {
        return std::nullopt;
    }
    return bad_request(
        kHeaderMismatch,
        "Header mismatch: MCP-Protocol-Version differs from the version in the body");
}

std::optional<ProtocolError> envelope_fault(const Message& message) {
    if (!is_string(message.meta.find(kVersionKey))) {
        return bad_request(kInvalidParams, "Invalid params: _meta[\"" + std::string{kVersionKey} +
                                               "\"] must be a string");
    }
    const auto capabilities = message.meta.find(kCapabilitiesKey);
    if (!capabilities || !capabilities->starts_with('{')) {
        return bad_request(
            kInvalidParams,
            "Invalid params: _meta[\"" + std::string{kCapabilitiesKey} + "\"] must be an object");
    }
    return std::nullopt;
}

std::optional<ProtocolError> version_fault(const Message& message) {
    const std::string_view version = *message.meta.find(kVersionKey);
    if (std::ranges::any_of(kModernRevisions, [version](Revision supported) {
            return jsonrpc::says(version, text_of(supported));
        })) {
        return std::nullopt;
    }
    const std::string requested = jsonrpc::decoded(version);
    std::string data = R"({"supported":[)";
    for (const Revision supported : kModernRevisions) {
        data.append(data.ends_with('[') ? "" : ",");
        jsonrpc::append_quoted(data, text_of(supported));
    }
    data.append(R"(],"requested":)");
    jsonrpc::append_quoted(data, requested);
    data.push_back('}');
    ProtocolError fault = bad_request(kUnsupportedVersion, "Unsupported protocol version");
    fault.data = std::move(data);
    return fault;
}

/// Returns whether a header repeats a text, as it must. An encoded value is decoded first; a value
/// that looks encoded is never literal.
bool repeats(std::optional<std::string_view> header, std::string_view text) {
    return header && (is_literal_header_value(*header) ? *header == text
                                                       : text_of_header_value(*header) == text);
}

bool repeats_string(std::optional<std::string_view> header, std::string_view string_text) {
    return header && (is_literal_header_value(*header)
                          ? jsonrpc::says(string_text, *header)
                          : text_of_header_value(*header) == jsonrpc::decoded(string_text));
}

std::optional<ProtocolError> standard_header_fault(const Message& message,
                                                   const StandardHeaders& headers) {
    if (!headers.protocol_version) {
        return bad_request(kHeaderMismatch, "Header mismatch: MCP-Protocol-Version is missing");
    }
    if (!repeats(headers.method, message.method)) {
        return bad_request(kHeaderMismatch,
                           "Header mismatch: Mcp-Method is missing or differs from the method");
    }
    const Method* method = find_method(message.method);
    if (method == nullptr || method->named_by.empty()) {
        return std::nullopt;
    }
    const auto named = message.body.find(method->named_by);
    if (is_string(named) && !repeats_string(headers.name, *named)) {
        return bad_request(kHeaderMismatch,
                           "Header mismatch: Mcp-Name is missing or differs from " +
                               std::string{method->named_by});
    }
    return std::nullopt;
}

}  // namespace

std::variant<Era, ProtocolError> classified(const Message& message,
                                            const StandardHeaders* headers) {
    const bool is_response =
        message.kind == MessageKind::result || message.kind == MessageKind::error;
    if (is_response) {
        return Era::legacy;  // modern clients never send one
    }
    if (message.meta.find(kVersionKey)) {
        return Era::modern;
    }
    if (!names_modern_version(headers)) {
        return Era::legacy;
    }
    if (message.kind == MessageKind::notification) {
        return Era::modern;
    }
    if (message.method == "initialize") {
        return Era::legacy;
    }
    return bad_request(kInvalidParams,
                       "Invalid params: the header names a modern version, but the envelope in "
                       "params._meta is missing");
}

std::optional<ProtocolError> fault_in_modern_request(const Message& message,
                                                     const StandardHeaders* headers) {
    if (headers != nullptr) {
        if (auto fault = version_header_fault(message, *headers)) {
            return fault;
        }
    }
    if (auto fault = envelope_fault(message)) {
        return fault;
    }
    if (auto fault = version_fault(message)) {
        return fault;
    }
    if (headers != nullptr) {
        if (auto fault = standard_header_fault(message, *headers)) {
            return fault;
        }
    }
    const Method* method = find_method(message.method);
    if (method == nullptr || !method->in_modern) {
        return ProtocolError{.http_status = 404,
                             .code = kMethodNotFound,
                             .message = "Method not found: " + std::string{message.method},
                             .data = {}};
    }
    return std::nullopt;
}

}  // namespace holdfast::mcp
