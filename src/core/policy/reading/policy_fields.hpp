#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "config/object_reader.hpp"
#include "policy/reading/policy_layer.hpp"

namespace holdfast::policy {

/// One key of a policy: where it stands in the file, and what can be done with its value. The table
/// of all of them is the only list of keys that there is: reading, inheriting and explaining walk
/// through it.
struct PolicyField {
    std::string_view group;  ///< "retry"; empty for a key of the policy itself.
    std::string_view name;
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

/// Puts what the layer gives over the policy.
void apply(const PolicyLayer& layer, Policy& policy);
/// The same for some keys only.
void apply(const PolicyLayer& layer, const GivenFields& keys, Policy& policy);

}  // namespace holdfast::policy
