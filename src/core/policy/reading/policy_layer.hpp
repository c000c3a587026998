#pragma once

#include <bitset>
#include <cstddef>
#include <string>

#include "policy/policy.hpp"

namespace holdfast::policy {

inline constexpr std::size_t kMaxFields = 64;
/// A set of keys, by their index in `policy_fields()`.
using GivenFields = std::bitset<kMaxFields>;

/// Values of one source for some keys of a policy.
struct PolicyLayer {
    std::string source = {};  ///< "policies.slow", "preset gitnexus, policies.heavy"
    Policy values = {};
    GivenFields given = {};
};

}  // namespace holdfast::policy
