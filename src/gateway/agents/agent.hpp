#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "downstream/request.hpp"
#include "mcp/revision.hpp"

namespace holdfast::agents {

/// What an agent can be asked, as it declared.
struct Abilities {
    bool forms = false;
    bool urls = false;
    bool sampling = false;
    bool sampling_tools = false;
    bool roots = false;

    /// Whether a request of that method and those params may be sent to it.
    [[nodiscard]] bool allow(std::string_view method, std::string_view params) const;
};

/// Of a ClientCapabilities object. `elicitation: {}` means forms.
[[nodiscard]] Abilities abilities_of(std::string_view capabilities);

/// Who asks: fixed by the handshake of a legacy session, or by the envelope of a modern request.
struct Agent {
    std::string principal = "anonymous";
    mcp::Revision revision = mcp::kNewestLegacy;
    std::shared_ptr<const downstream::AgentIdentity> face = {};

    [[nodiscard]] mcp::Era era() const noexcept { return mcp::era_of(revision); }
};

}  // namespace holdfast::agents
