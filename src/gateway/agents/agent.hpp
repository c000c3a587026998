#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "downstream/request.hpp"
#include "mcp/revision.hpp"

namespace holdfast::agents {

/// The principal of agents that nothing is known of.
inline constexpr std::string_view kAnonymous = "anonymous";

/// The kinds of questions that an agent accepts, as it declared.
struct Abilities {
    bool forms = false;
    bool urls = false;
    bool sampling = false;
    bool sampling_tools = false;
    bool roots = false;

    /// Whether the agent accepts a request with this method and these params.
    [[nodiscard]] bool allow(std::string_view method, std::string_view params) const;
};

/// Reads a ClientCapabilities object. `elicitation: {}` means forms.
[[nodiscard]] Abilities abilities_of(std::string_view capabilities);

/// The sender of a request: fixed by the handshake of a legacy session, or by the `_meta` of a
/// modern request.
struct Agent {
    std::string principal{kAnonymous};
    mcp::Revision revision = mcp::kNewestLegacy;
    std::shared_ptr<const downstream::AgentIdentity> face = {};

    [[nodiscard]] mcp::Era era() const noexcept { return mcp::era_of(revision); }
};

}  // namespace holdfast::agents
