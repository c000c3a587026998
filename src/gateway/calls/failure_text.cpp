#include "calls/failure_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/counted.hpp"
#include "policy/degrade.hpp"
#include "policy/text_template.hpp"
#include "surface/argument_schema.hpp"

namespace holdfast::calls {
namespace {

std::string in_policy_words(const FailedCall& call, const Failure& failure,
                            const FailureContext& facts) {
    const policy::Policy& policy = call.plan.rules->policy();
    const std::string_view text =
        policy::degrade_text(policy.degrade, {.code = failure.code,
                                              .error_class = call.end.error_class,
                                              .is_read = call.plan.is_read,
                                              .may_have_effect = failure.may_have_side_effects});
    if (text.empty()) {
        return {};
    }
    const auto& circuit = call.plan.rules->resolved.circuit;
    const auto left = failure.retry_after.value_or(resilience::Duration::zero());
    const std::string seconds = std::to_string(wait_seconds(left));
    const std::string attempts = std::to_string(facts.attempts);
    const std::string status = std::to_string(facts.http_status);
    const std::string attempt_count = base::counted(facts.attempts, "attempt");
    const std::array<policy::TemplateValue, 13> values = {{
        {.name = "seconds", .value = seconds},
        {.name = "server", .value = call.plan.server->name},
        {.name = "tool", .value = failure.tool},
        {.name = "circuit", .value = circuit ? std::string_view{circuit->name} : ""},
        {.name = "attempts", .value = attempts},
        {.name = "attemptCount", .value = attempt_count},
        {.name = "lastError", .value = facts.last_error},
        {.name = "status", .value = status},
        {.name = "detail", .value = facts.detail},
        {.name = "arguments", .value = facts.arguments},
        {.name = "code", .value = text_of(failure.code)},
        {.name = "hint", .value = policy.circuit.hint},
        {.name = "uncertain",
         .value = failure.may_have_side_effects ? std::string_view{policy.degrade.uncertain} : ""},
    }};
    return policy::filled(text, values);
}

/// Advice for a model, as the lines of a list.
std::string next_steps(const Failure& failure, const FailureContext& facts) {
    std::string text;
    if (failure.may_have_side_effects) {
        text += "\n    - A check first whether it took effect: the request was sent";
    } else if (failure.retry_after) {
        text +=
            "\n    - The same call in " +
            base::counted(static_cast<std::uint64_t>(wait_seconds(*failure.retry_after)), "second");
    } else if (failure.is_retryable) {
        text += "\n    - The same call later";
    } else {
        text += "\n    - Different or corrected arguments";
    }
    if (facts.alternatives.empty()) {
        return text + "\n    - A different tool if this one is unavailable";
    }
    text += "\n    - One of these tools, which are available now:";
    for (const std::string& name : facts.alternatives) {
        text += (name == facts.alternatives.front() ? " " : ", ") + name;
    }
    return text;
}

std::string self_correction(const FailedCall& call, const Failure& failure,
                            const FailureContext& facts, const std::string& happened) {
    std::string about_tool;
    if (const auto& arguments = call.plan.callable->arguments) {
        const std::string description = arguments->description();
        about_tool = description.empty() ? "" : "\n  Tool description: " + description;
        about_tool += "\n  Available parameters: " + arguments->schema().parameter_summary();
    }
    return fmt::format(
        "Error calling tool '{}':\n"
        "  {}{}\n"
        "  You sent: {}\n"
        "  Please try again with:{}",
        failure.tool, happened, about_tool, facts.arguments, next_steps(failure, facts));
}

}  // namespace

std::string words_of(const Failure& failure) {
    if (!failure.words.empty()) {
        return failure.words;
    }
    if (failure.code == FailureCode::starting) {
        return failure.retry_after ? fmt::format("{} Retry in {} s.", failure.message,
                                                 wait_seconds(*failure.retry_after))
                                   : failure.message;
    }
    std::string words = failure.tool.empty() ? failure.message
                                             : fmt::format("The tool \"{}\" failed: {}",
                                                           failure.tool, failure.message);
    if (!words.ends_with('.')) {
        words += '.';
    }
    if (failure.may_have_side_effects) {
        words.append(" ").append(kMayHaveTakenEffect);
    } else if (failure.is_retryable && failure.retry_after) {
        words += fmt::format(" Try again in {} s.", wait_seconds(*failure.retry_after));
    } else if (failure.is_retryable) {
        words += " It is safe to try again.";
    }
    return words;
}

std::string words_for(const FailedCall& call, const Failure& failure, const FailureContext& facts) {
    const policy::Policy& policy = call.plan.rules->policy();
    std::string own = in_policy_words(call, failure, facts);
    if (policy.degrade.as == policy::DegradeAs::result) {
        return own.empty() ? words_of(failure) : own;
    }
    if (policy.detail == policy::Detail::self_correct && !failure.tool.empty()) {
        return self_correction(call, failure, facts, own.empty() ? failure.message : own);
    }
    if (own.empty()) {
        return words_of(failure);
    }
    return failure.may_have_side_effects ? own.append(" ").append(kMayHaveTakenEffect) : own;
}

}  // namespace holdfast::calls
