#pragma once

#include <variant>

#include "support/fixture_server/call.hpp"
#include "support/fixture_server/outcome.hpp"
#include "support/fixture_server/tool.hpp"

namespace holdfast::fixture {

/// Returns the handler of a call, by its method and, for a tool, its name; or a refusal if there is
/// none.
[[nodiscard]] std::variant<PlainTool, WaitingTool, Refusal> handler_for(Call& call);

}  // namespace holdfast::fixture
