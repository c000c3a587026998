#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.hpp"
#include "policy/reading/table_parts.hpp"

namespace holdfast::policy {

/// A layer, and which of its keys count here.
struct AppliedLayer {
    const PolicyLayer* layer = nullptr;
    GivenFields keys = {};
};

/// What the rules say about one tool. Points into the parts of the table.
struct Resolution {
    std::vector<AppliedLayer> layers = {};  ///< The last that gives a key has it.
    std::string circuit = {};
    std::string circuit_source = {};
    // The last rule that says it; null = none.
    const ToolRule* read_only = nullptr;
    const ToolRule* idempotent = nullptr;
    const ToolRule* alternatives = nullptr;
    const ToolRule* fallback = nullptr;
    bool is_read_only_of_file = false;
    bool is_idempotent_of_file = false;
    /// Whether the alternatives and the fallback are of a preset, which names tools without their
    /// server.
    bool has_own_alternatives = false;
    bool has_own_fallback = false;
};

/// For a tool by the server's own name; nothing = for the server's other methods.
[[nodiscard]] Resolution resolution_of(const TableParts& parts, const ServerPart& server,
                                       std::optional<std::string_view> tool);

/// All layers on top of each other.
[[nodiscard]] Policy merged(const Resolution& resolution);

/// The source of a key, by its index in `policy_fields()`.
[[nodiscard]] const std::string& source_of(const Resolution& resolution, std::size_t field_index);

}  // namespace holdfast::policy
