#pragma once

#include <bitset>
#include <cstddef>
#include <string>

#include "policy/policy.hpp"

namespace holdfast::policy {

inline constexpr std::size_t kMaxFields = 64;
/// Which keys something gives, by their index in `policy_fields()`.
using GivenFields = std::bitset<kMaxFields>;

/// What one place of a config says about a policy: some keys, with their values.
struct PolicyLayer {
    std::string source = {};  ///< "policies.slow", "preset gitnexus, policies.heavy"
    Policy values = {};
    GivenFields given = {};
};

}  // namespace holdfast::policy
