#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/interpolation.hpp"
#include "config/node.hpp"
#include "config/server_config.hpp"
#include "policy/error_class.hpp"
#include "policy/policy_table.hpp"
#include "policy/reading/policy_reader.hpp"

namespace holdfast::policy {

/// One entry of `tools`.
struct ToolRule {
    std::string source = {};  ///< "tools[2]"
    std::vector<std::string> globs = {};
    std::string policy = {};   ///< Empty = none.
    std::string circuit = {};  ///< Empty = none.
    std::optional<bool> read_only = std::nullopt;
    std::optional<bool> idempotent = std::nullopt;
    std::optional<std::vector<std::string>> alternatives = std::nullopt;
    std::string fallback = {};

    [[nodiscard]] bool matches(std::string_view tool) const noexcept;
};

/// The rules of a config or a preset for policies.
struct Fragment {
    std::string name = {};  ///< Of the preset; empty for the user's file.
    std::vector<ClassChange> class_changes = {};
    NamedPolicies policies = {};
    std::map<std::string, PolicyLayer, std::less<>> circuits = {};
    std::vector<ToolRule> rules = {};
    // Only in presets:
    bool is_for_gateway = false;
    std::optional<config::ReconnectOptions> reconnect = std::nullopt;
    std::optional<SweepOptions> sweep = std::nullopt;
    std::vector<config::Member> sections = {};  ///< For other modules, with variables substituted.
    std::vector<config::SecondChoice> second_choices = {};
};

/// Presets by their names.
using Presets = std::map<std::string, Fragment, std::less<>>;

/// Names that the user's file may use although it does not declare them.
struct OuterNames {
    std::vector<std::string_view> servers = {};
    std::vector<std::string_view> circuits = {};  ///< Of the presets in use.
};

/// Returns the section of a name, or null.
using SectionLookup = std::function<const config::Node*(std::string_view)>;

/// Reads `classes`, `policies`, `circuits` and `tools`. `outer` is null for a preset: its rules
/// match the tool names of its downstream and use only names that the preset declares.
/// `scope.classes` has the classes that this fragment extends.
[[nodiscard]] Fragment read_fragment(const ReadScope& scope, const SectionLookup& section,
                                     const OuterNames* outer);

}  // namespace holdfast::policy
