#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/incoming_request.hpp"
#include "dispatch/gateway.hpp"
#include "surface/surface.hpp"

namespace holdfast::dispatch {

/// Answers a call of an unknown tool. If the name refers to a server whose tools are unknown
/// because it is not connected, the agent is advised to wait; otherwise it gets the nearest names.
void refuse_unknown_tool(const agents::IncomingRequest& request, std::string_view name,
                         const surface::Surface& surface, const Gateway& gateway);

/// Returns the message that there is no such item, with suggestions.
[[nodiscard]] std::string unknown_name_words(std::string_view kind, std::string_view name,
                                             const std::vector<std::string_view>& nearest);

}  // namespace holdfast::dispatch
