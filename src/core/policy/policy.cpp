#include "policy/policy.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::policy {

Policy for_call(Policy policy, const CallOverrides& wishes) {
    if (wishes.timeout && *wishes.timeout > Duration::zero()) {
        policy.timeout = std::min(policy.timeout, *wishes.timeout);
    }
    policy.debug = policy.debug || wishes.debug;
    return policy;
}

std::string_view name_of(Detail detail) noexcept {
    switch (detail) {
        case Detail::minimal:
            return "minimal";
        case Detail::standard:
            return "standard";
        case Detail::self_correct:
            return "selfCorrect";
        case Detail::debug:
            return "debug";
    }
    return "standard";
}

}  // namespace holdfast::policy
