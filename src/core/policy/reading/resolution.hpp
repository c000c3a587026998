#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.hpp"
#include "policy/reading/table_parts.hpp"

namespace holdfast::policy {

/// A layer and its keys that apply.
struct AppliedLayer {
    const PolicyLayer* layer = nullptr;
    GivenFields keys = {};
};

/// The rules that apply to one tool. Points into the parts of the table.
struct Resolution {
    std::vector<AppliedLayer> layers = {};  ///< The last layer with a key wins.
    std::string circuit = {};
    std::string circuit_source = {};
    // The last rule that sets it; null = none.
    const ToolRule* read_only = nullptr;
    const ToolRule* idempotent = nullptr;
    const ToolRule* alternatives = nullptr;
    const ToolRule* fallback = nullptr;
    bool is_read_only_of_file = false;
    bool is_idempotent_of_file = false;
    /// Whether the alternatives and the fallback come from a preset, which names tools without
    /// their server.
    bool has_own_alternatives = false;
    bool has_own_fallback = false;
};

/// For a tool, by its name at the server; nothing = for the server's other methods.
[[nodiscard]] Resolution resolution_of(const TableParts& parts, const ServerPart& server,
                                       std::optional<std::string_view> tool);

/// Applies all layers in order.
[[nodiscard]] Policy merged(const Resolution& resolution);

/// Returns the source of a key, by its index in `policy_fields()`.
[[nodiscard]] const std::string& source_of(const Resolution& resolution, std::size_t field_index);

}  // namespace holdfast::policy
