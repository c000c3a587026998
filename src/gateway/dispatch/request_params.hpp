#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agents/agent_session.hpp"
#include "downstream/request.hpp"
#include "jsonrpc/message.hpp"

// Taking the params of an agent's request apart, and putting them together for a downstream.

namespace holdfast::dispatch {

/// A string member of the params, decoded; nothing if it is missing or no string.
[[nodiscard]] std::optional<std::string> string_param(const jsonrpc::Message& message,
                                                      std::string_view key);

/// The params of a request for a downstream: as the agent wrote them but for `_meta`, and with
/// `replaced` (JSON) in the place of one member.
struct ParamEdit {
    std::string_view key = {};
    std::string_view replaced = {};
    bool adds_arguments = false;  ///< `arguments` is added as `{}` if the agent left it out.
};
[[nodiscard]] std::string params_members(const jsonrpc::Message& message, const ParamEdit& edit);

/// What of `_meta` is passed on: all that the two legs do not negotiate each for itself.
[[nodiscard]] std::string meta_members(const jsonrpc::Message& message);

/// The request for a downstream with what every relayed method has in common.
[[nodiscard]] downstream::Request relayed_request(const jsonrpc::Message& message,
                                                  const ParamEdit& edit);

}  // namespace holdfast::dispatch
