#pragma once

#include <string>
#include <string_view>

namespace holdfast::agents {

/// Returns an agent's capabilities as servers may see them: only with extensions whose methods and
/// results the gateway relays. A server must not use others, because the agent would get no answer.
[[nodiscard]] std::string relayed_capabilities(std::string_view capabilities);

}  // namespace holdfast::agents
