#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/incoming_request.hpp"
#include "dispatch/gateway.hpp"
#include "surface/surface.hpp"

namespace holdfast::dispatch {

/// Answers a call of a tool that nobody has. If the name is that of a server whose tools are not
/// known because it is not connected, the agent is told to wait; else it hears the nearest names.
void refuse_unknown_tool(const agents::IncomingRequest& request, std::string_view name,
                         const surface::Surface& surface, const Gateway& gateway);

/// That there is none of that kind, and what may have been meant.
[[nodiscard]] std::string unknown_name_words(std::string_view kind, std::string_view name,
                                             const std::vector<std::string_view>& nearest);

}  // namespace holdfast::dispatch
