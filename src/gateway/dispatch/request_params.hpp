#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agents/agent_session.hpp"
#include "agents/incoming_request.hpp"
#include "downstream/request.hpp"
#include "jsonrpc/message.hpp"
#include "jsonrpc/message_writer.hpp"
#include "policy/policy.hpp"

// Parses the params of an agent's request, builds those for a downstream, and refuses requests.

namespace holdfast::dispatch {

/// Returns a decoded string member of the params; nothing if it is missing or not a string.
[[nodiscard]] std::optional<std::string> string_param(const jsonrpc::Message& message,
                                                      std::string_view key);

/// Edits the params of a request for a downstream: as the agent wrote them except `_meta`, and with
/// another value of one member: a text, or else JSON.
struct ParamEdit {
    std::string_view key = {};
    std::optional<std::string_view> text = std::nullopt;
    std::string_view json = {};
    bool adds_arguments = false;  ///< Adds `"arguments":{}` if the agent omitted it.
};
[[nodiscard]] std::string params_members(const jsonrpc::Message& message, const ParamEdit& edit);

/// Returns the members of `_meta` to forward: all that the two legs do not negotiate themselves.
[[nodiscard]] std::string meta_members(const jsonrpc::Message& message);

/// Returns the request for a downstream with the parts that all relayed methods share.
[[nodiscard]] downstream::Request relayed_request(const jsonrpc::Message& message,
                                                  const ParamEdit& edit);

/// Returns the overrides of a single request: a shorter timeout in seconds, and debug details.
[[nodiscard]] policy::CallOverrides overrides_of(const agents::IncomingRequest& request);

/// Whether the agent wants to know the id of a call that succeeds.
[[nodiscard]] bool wants_call_id(const agents::IncomingRequest& request);

/// Answers a request with an error of the gateway.
void refuse(const agents::IncomingRequest& request, const jsonrpc::ErrorObject& error);

}  // namespace holdfast::dispatch
