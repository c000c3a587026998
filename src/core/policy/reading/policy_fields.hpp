#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "config/object_reader.hpp"
#include "policy/reading/policy_layer.hpp"

namespace holdfast::policy {

/// One key of a policy: its position in the file, and the operations on its value. The table of
/// fields is the only list of keys: reading, inheriting and explaining use it.
struct PolicyField {
    std::string_view group;  ///< "retry"; empty for a key of the policy itself.
    std::string_view name;
    bool is_circuit_figure;  ///< Entries of `circuits` have it too.
    /// Reads the key from the object of its group.
    void (*read)(config::ObjectReader& object, std::string_view name, Policy& into);
    void (*copy)(const Policy& from, Policy& to);
    std::string (*text)(const Policy& policy);

    [[nodiscard]] std::string path() const;
};

[[nodiscard]] std::span<const PolicyField> policy_fields();

/// The keys that an entry of `circuits` may have.
[[nodiscard]] const GivenFields& circuit_figures();

/// Overrides the policy with the layer's values.
void apply(const PolicyLayer& layer, Policy& policy);
/// The same for selected keys.
void apply(const PolicyLayer& layer, const GivenFields& keys, Policy& policy);

}  // namespace holdfast::policy
