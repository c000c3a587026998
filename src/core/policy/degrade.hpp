#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "policy/error_class.hpp"
#include "policy/failure_code.hpp"

namespace holdfast::policy {

/// The key of the text for failures without a text of their own.
inline constexpr std::string_view kOtherFailure = "other";

/// How a failure is returned to the agent.
enum class DegradeAs : std::uint8_t {
    error,   ///< As a result with `isError`.
    result,  ///< As a plain result with the policy's text.
};

/// The texts for one failure, by what the tool does.
struct DegradeText {
    std::string read = {};
    std::string write = {};
    std::string uncertain = {};  ///< For a write that may have taken effect; empty = `write`.

    friend bool operator==(const DegradeText&, const DegradeText&) = default;
};

/// `degrade`
struct DegradeRules {
    DegradeAs as = DegradeAs::error;
    /// Templates by error class, failure code, or `other`.
    std::map<std::string, DegradeText, std::less<>> texts = {};
    /// Replaces `{uncertain}` if the call may have taken effect.
    std::string uncertain = {};

    friend bool operator==(const DegradeRules&, const DegradeRules&) = default;
};

/// A failure whose text is looked up.
struct DegradeCase {
    FailureCode code = FailureCode::downstream_error;
    const ErrorClass* error_class = nullptr;  ///< Null if nothing was classified.
    bool is_read = false;
    bool may_have_effect = false;  ///< The call was sent and its effect is unknown.
};

/// Returns the template for a failure: that of its class, otherwise of its code, otherwise of
/// `other`. Empty if the policy has no text for it.
[[nodiscard]] std::string_view degrade_text(const DegradeRules& rules, const DegradeCase& failure);

}  // namespace holdfast::policy
