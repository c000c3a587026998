#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "policy/error_class.hpp"
#include "policy/failure_code.hpp"

namespace holdfast::policy {

/// The key of the text for failures that have none of their own.
inline constexpr std::string_view kOtherFailure = "other";

/// How a failure reaches the agent.
enum class DegradeAs : std::uint8_t {
    error,   ///< As a result with `isError`.
    result,  ///< As a plain result, in the policy's words.
};

/// The words for one failure, by what the tool does.
struct DegradeText {
    std::string read = {};
    std::string write = {};
    std::string uncertain = {};  ///< Of a write that may have had an effect; empty = `write`.

    friend bool operator==(const DegradeText&, const DegradeText&) = default;
};

/// `degrade`
struct DegradeRules {
    DegradeAs as = DegradeAs::error;
    /// Templates, by the name of an error class, a failure code, or `other`.
    std::map<std::string, DegradeText, std::less<>> texts = {};
    /// What `{uncertain}` stands for when the call may have had an effect.
    std::string uncertain = {};

    friend bool operator==(const DegradeRules&, const DegradeRules&) = default;
};

/// A failure for which words are looked up.
struct DegradeCase {
    FailureCode code = FailureCode::downstream_error;
    const ErrorClass* error_class = nullptr;  ///< Null when nothing was classified.
    bool is_read = false;
    bool may_have_effect = false;  ///< It was sent, and what it did is not known.
};

/// The template for a failure: that of its class, else of its code, else of `other`. Empty when the
/// policy has no words for it.
[[nodiscard]] std::string_view degrade_text(const DegradeRules& rules, const DegradeCase& failure);

}  // namespace holdfast::policy
