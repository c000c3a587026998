#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/object_reader.hpp"
#include "policy/reading/policy_layer.hpp"

namespace holdfast::policy {

/// One key of a policy: where it is in the file, and what can be done with its value. The table of
/// these is the only list of keys: reading, inheriting, explaining and describing walk through it.
struct PolicyField {
    config::KeyInfo info;
    std::string_view group;  ///< "retry"; empty for a key of the policy itself.
    bool is_circuit_figure;  ///< An entry of `circuits` has it too.
    /// Reads the key out of the object of its group.
    void (*read)(config::ObjectReader& object, std::string_view name, Policy& into);
    void (*copy)(const Policy& from, Policy& to);
    std::string (*text)(const Policy& policy);

    [[nodiscard]] std::string path() const;
};

[[nodiscard]] std::span<const PolicyField> policy_fields();

/// The keys that an entry of `circuits` may have.
[[nodiscard]] const GivenFields& circuit_figures();

/// The keys of a policy, with the names of its groups.
[[nodiscard]] std::vector<config::KeyInfo> policy_keys();
[[nodiscard]] std::vector<config::KeyInfo> keys_of_group(std::string_view group);
[[nodiscard]] std::vector<config::KeyInfo> circuit_keys();
/// The JSON Schema of a policy, with its groups.
[[nodiscard]] config::Node policy_schema();

/// Puts what the layer gives over the policy.
void apply(const PolicyLayer& layer, Policy& policy);
/// The same for selected keys.
void apply(const PolicyLayer& layer, const GivenFields& keys, Policy& policy);

}  // namespace holdfast::policy
