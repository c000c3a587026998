#include "policy/classify.hpp"

#include <algorithm>

#include "policy/error_text.hpp"

namespace holdfast::policy {
namespace {

using resilience::FailureKind;
using resilience::Outcome;

/// The class of an answer that no other rule recognises.
ErrorClassId default_class(const Ending& ending) noexcept {
    if (ending.kind == AnswerKind::error_result) {
        return ErrorClassId::tool_error;
    }
    // A status below 400 without a JSON-RPC body is not an answer of an MCP server.
    return ending.kind == AnswerKind::http_error ? ErrorClassId::malformed
                                                 : ErrorClassId::rpc_error;
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

Classifier::Classifier(const Policy& policy)
    : classes_(policy.classes), classifies_results_(policy.classifies_results) {
    treatments_.reserve(classes_->size());
    for (const ErrorClass& one : *classes_) {
        treatments_.push_back({.outcome = outcome_of(one, policy),
                               .is_retried = is_listed(policy.retry.on, one.name)});
    }
}

const ErrorClass& Classifier::class_of(const Ending& ending) const {
    if (ending.fault) {
        return builtin_class(*classes_, *ending.fault);
    }
    const ErrorText text{ending.text};
    const ErrorClass* found = class_by_status(*classes_, ending.http_status, text);
    if (found == nullptr) {
        found = class_by_text(*classes_, text, classifies_results_);
    }
    if (found == nullptr && ending.rpc_code) {
        found = class_by_code(*classes_, *ending.rpc_code);
    }
    return found == nullptr ? builtin_class(*classes_, default_class(ending)) : *found;
}

Classified Classifier::classified(const Ending& ending) const {
    const bool is_error_result = !ending.fault && ending.kind == AnswerKind::error_result;
    const bool is_result = !ending.fault && ending.kind == AnswerKind::result;
    if (is_result || (is_error_result && !classifies_results_)) {
        const bool was_sent = ending.delivery != resilience::Delivery::not_sent;
        return {.outcome = was_sent ? std::optional{Outcome::success} : std::nullopt};
    }
    const ErrorClass& one = class_of(ending);
    const Treatment& treatment = treatments_[static_cast<std::size_t>(&one - classes_->data())];
    Classified result{.error_class = &one, .outcome = treatment.outcome};
    if (result.outcome == Outcome::success && is_error_result) {
        return result;
    }
    const bool is_retried = !ending.is_final && treatment.is_retried;
    result.failure = {.kind = is_retried ? one.retry : FailureKind::permanent,
                      .delivery = ending.delivery,
                      .retry_after = ending.retry_after};
    return result;
}

}  // namespace holdfast::policy
