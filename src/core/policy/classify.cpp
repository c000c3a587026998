#include "policy/classify.hpp"

#include <algorithm>
#include <array>

#include "holdfast/resilience/expect.hpp"
#include "policy/error_text.hpp"

namespace holdfast::policy {
namespace {

using resilience::FailureKind;
using resilience::Outcome;

struct ClassCode {
    std::string_view class_name;
    std::string_view code;
};
// All other classes are errors of the downstream.
constexpr std::array<ClassCode, 10> kClassCodes = {{
    {.class_name = "timeout", .code = "TIMEOUT"},
    {.class_name = "connectionLost", .code = "CONNECTION_LOST"},
    {.class_name = "connectionRefused", .code = "CONNECTION_LOST"},
    {.class_name = "notConnected", .code = "CONNECTION_LOST"},
    {.class_name = "malformed", .code = "MALFORMED_RESPONSE"},
    {.class_name = "rateLimited", .code = "RATE_LIMITED"},
    {.class_name = "overloaded", .code = "OVERLOADED"},
    {.class_name = "unauthorized", .code = "UNAUTHORIZED"},
    {.class_name = "tooLarge", .code = "RESULT_TOO_LARGE"},
    {.class_name = "stopping", .code = "SHUTTING_DOWN"},
}};

/// The class that the transport itself has found; empty when the answer has to be looked at.
std::string_view class_of_fault(EndingKind kind) noexcept {
    switch (kind) {
        case EndingKind::timed_out:
            return "timeout";
        case EndingKind::connection_lost:
            return "connectionLost";
        case EndingKind::connection_refused:
            return "connectionRefused";
        case EndingKind::not_connected:
            return "notConnected";
        case EndingKind::malformed:
            return "malformed";
        case EndingKind::too_large:
            return "tooLarge";
        case EndingKind::overloaded:
            return "overloaded";
        case EndingKind::cancelled:
            return "cancelled";
        case EndingKind::stopping:
            return "stopping";
        case EndingKind::result:
        case EndingKind::error_result:
        case EndingKind::rpc_error:
        case EndingKind::http_error:
            break;
    }
    return {};
}

/// For an answer that nothing more special recognises.
std::string_view class_of_rest(const Ending& ending) noexcept {
    if (ending.kind == EndingKind::error_result) {
        return "toolError";
    }
    // A status below 400 without a JSON-RPC body is no answer of an MCP server.
    return ending.kind == EndingKind::http_error ? "malformed" : "rpcError";
}

template <class Matches>
const ErrorClass* first_class(const ErrorClasses& classes, const Matches& matches) {
    const auto found = std::ranges::find_if(classes, matches);
    return found == classes.end() ? nullptr : &*found;
}

bool has_number(const std::vector<NumberRange>& ranges, int number) {
    return std::ranges::any_of(ranges,
                               [&](const NumberRange& range) { return range.contains(number); });
}

bool has_any(const ErrorText& text, const std::vector<std::string>& all_words) {
    return std::ranges::any_of(all_words,
                               [&](const std::string& words) { return text.has(words); });
}

const ErrorClass* class_by_status(const ErrorClasses& classes, int status, const ErrorText& text) {
    return first_class(classes, [&](const ErrorClass& one) {
        // The text may give another reason for the status.
        return has_number(one.statuses, status) &&
               (!has_any(text, one.unless) || has_any(text, one.words));
    });
}

const ErrorClass* class_by_code(const ErrorClasses& classes, int code) {
    return first_class(classes, [&](const ErrorClass& one) { return has_number(one.codes, code); });
}

const ErrorClass* class_by_text(const ErrorClasses& classes, const ErrorText& text,
                                bool takes_builtin_words) {
    const auto is_asked = [&](const ErrorClass& one) {
        return takes_builtin_words || one.has_own_words;
    };
    const auto has_errno = [&](const ErrorClass& one) {
        return is_asked(one) && std::ranges::any_of(one.errnos, [&](const std::string& name) {
                   return text.has_whole_word(name);
               });
    };
    const auto has_words = [&](const ErrorClass& one) {
        return is_asked(one) && has_any(text, one.words);
    };
    const ErrorClass* found = first_class(classes, has_errno);
    return found == nullptr ? first_class(classes, has_words) : found;
}

const ErrorClass& class_of(const Ending& ending, const Policy& policy) {
    const ErrorClasses& classes = *policy.classes;
    const auto named = [&](std::string_view name) -> const ErrorClass& {
        const ErrorClass* found = find_class(classes, name);
        HOLDFAST_EXPECT(found != nullptr);  // changes never remove a built-in class
        return *found;
    };
    if (const std::string_view fault = class_of_fault(ending.kind); !fault.empty()) {
        return named(fault);
    }
    const ErrorText text{ending.text};
    const ErrorClass* found = class_by_status(classes, ending.http_status, text);
    if (found == nullptr) {
        found = class_by_text(classes, text, policy.classifies_results);
    }
    if (found == nullptr && ending.rpc_code) {
        found = class_by_code(classes, *ending.rpc_code);
    }
    return found == nullptr ? named(class_of_rest(ending)) : *found;
}

bool is_listed(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::any_of(names,
                               [&](const std::string& one) { return one == "*" || one == name; });
}

std::optional<Outcome> outcome_of(const ErrorClass& one, const Policy& policy) {
    if (!one.counts || !policy.circuit.on) {
        return one.counts;
    }
    if (is_listed(*policy.circuit.on, one.name)) {
        return Outcome::failure;
    }
    return one.counts == Outcome::success ? Outcome::success : Outcome::neutral;
}

}  // namespace

Classified classified(const Ending& ending, const Policy& policy) {
    const bool is_passed_on = ending.kind == EndingKind::error_result && !policy.classifies_results;
    if (ending.kind == EndingKind::result || is_passed_on) {
        const bool was_sent = ending.delivery != resilience::Delivery::not_sent;
        return {.outcome = was_sent ? std::optional{Outcome::success} : std::nullopt};
    }
    const ErrorClass& one = class_of(ending, policy);
    Classified result{.name = one.name, .outcome = outcome_of(one, policy)};
    if (result.outcome == Outcome::success && ending.kind == EndingKind::error_result) {
        return result;
    }
    const bool is_retried = !ending.is_final && is_listed(policy.retry.on, one.name);
    result.failure = {.kind = is_retried ? one.retry : FailureKind::permanent,
                      .delivery = ending.delivery,
                      .retry_after = ending.retry_after};
    return result;
}

std::string_view failure_code(std::string_view class_name) noexcept {
    const auto found = std::ranges::find(kClassCodes, class_name, &ClassCode::class_name);
    return found == kClassCodes.end() ? "DOWNSTREAM_ERROR" : found->code;
}

}  // namespace holdfast::policy
