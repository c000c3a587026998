#include "policy/reading/policy_fields.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "policy/reading/field_kinds.hpp"

namespace holdfast::policy {
namespace {

template <class Value>
constexpr auto& at(Value& value) {
    return value;
}

/// Follows a path of member pointers.
template <auto First, auto... Rest, class Value>
constexpr auto& at(Value& value) {
    return at<Rest...>(value.*First);
}

/// Copies a value. Texts are inherited one by one, everything else as a whole.
template <class Value>
void put_over(const Value& from, Value& to) {
    if constexpr (std::is_same_v<Value, DegradeTextsKind::Texts>) {
        for (const auto& [key, words] : from) {
            DegradeText& target = to[key];
            target.read = words.read.empty() ? target.read : words.read;
            // A new text for writes also replaces an inherited one for uncertain writes.
            const bool has_write = !words.write.empty() || !words.uncertain.empty();
            target.uncertain = has_write ? words.uncertain : target.uncertain;
            target.write = words.write.empty() ? target.write : words.write;
        }
    } else {
        to = from;
    }
}

template <class Kind, auto... Path>
constexpr PolicyField field(std::string_view group, std::string_view name,
                            bool is_circuit_figure = false) {
    return {.group = group,
            .name = name,
            .is_circuit_figure = is_circuit_figure,
            .read = [](config::ObjectReader& object, std::string_view key,
                       Policy& into) { Kind::read(object, key, at<Path...>(into)); },
            .copy = [](const Policy& from,
                       Policy& to) { put_over(at<Path...>(from), at<Path...>(to)); },
            .text = [](const Policy& policy) { return Kind::text(at<Path...>(policy)); }};
}

template <class Kind, auto Figure>
constexpr PolicyField figure(std::string_view name) {
    return field<Kind, &Policy::circuit, &CircuitRules::figures, Figure>("circuit", name, true);
}

using PositiveDuration = DurationKind<false>;
using AnyDuration = DurationKind<true>;
using Places = CountKind<0, 1'000'000>;
using Some = CountKind<1, 1'000'000>;
using Share = NumberKind<0, 1'000>;
using Factor = NumberKind<1'000, 100'000>;

constexpr std::array kFields = {
    field<PositiveDuration, &Policy::timeout>("", "timeout"),
    field<OptionalDurationKind, &Policy::attempt_timeout>("", "attemptTimeout"),
    field<FlagKind, &Policy::progress_resets>("", "progressResets"),
    field<WaitForConnectionKind, &Policy::wait_for_connection>("", "waitForConnection"),
    field<ChoiceKind<JunkRule>, &Policy::junk>("", "junk"),
    field<FlagKind, &Policy::classifies_results>("", "classifyResults"),
    field<FlagKind, &Policy::shares_reads>("", "shareReads"),
    field<AnyDuration, &Policy::stale_for>("", "staleFor"),
    field<FlagKind, &Policy::suggests_alternatives>("", "suggestAlternatives"),
    field<ChoiceKind<Detail>, &Policy::detail>("", "detail"),
    field<FlagKind, &Policy::debug>("", "debug"),
    field<SwitchKind, &Policy::retry, &RetryRules::is_on>("", "retry"),
    field<CountKind<1, 100>, &Policy::retry, &RetryRules::attempts>("retry", "attempts"),
    field<AnyDuration, &Policy::retry, &RetryRules::delay>("retry", "delay"),
    field<Factor, &Policy::retry, &RetryRules::multiplier>("retry", "multiplier"),
    field<AnyDuration, &Policy::retry, &RetryRules::max_delay>("retry", "maxDelay"),
    field<Share, &Policy::retry, &RetryRules::jitter>("retry", "jitter"),
    field<ClassNamesKind, &Policy::retry, &RetryRules::on>("retry", "on"),
    field<ChoiceKind<resilience::RepeatRule>, &Policy::retry, &RetryRules::when>("retry", "when"),
    field<AnyDuration, &Policy::retry, &RetryRules::retry_after_slack>("retry", "retryAfterSlack"),
    field<SwitchKind, &Policy::retry, &RetryRules::budget, &BudgetRules::is_on>("retry", "budget"),
    field<NumberKind<1, 1'000>, &Policy::retry, &RetryRules::budget, &BudgetRules::ratio>(
        "retry.budget", "ratio"),
    field<Places, &Policy::retry, &RetryRules::budget, &BudgetRules::floor>("retry.budget",
                                                                            "floor"),
    field<PositiveDuration, &Policy::retry, &RetryRules::budget, &BudgetRules::window>(
        "retry.budget", "window"),
    field<SwitchKind, &Policy::circuit, &CircuitRules::is_on>("", "circuit"),
    figure<Some, &CircuitFigures::failures>("failures"),
    figure<PositiveDuration, &CircuitFigures::open>("open"),
    figure<CountKind<1, resilience::CircuitBreakerOptions::kMaxProbes>, &CircuitFigures::probes>(
        "probes"),
    figure<Some, &CircuitFigures::successes>("successes"),
    figure<Share, &CircuitFigures::failure_rate>("failureRate"),
    figure<Some, &CircuitFigures::minimum_calls>("minimumCalls"),
    figure<PositiveDuration, &CircuitFigures::window>("window"),
    figure<Factor, &CircuitFigures::open_growth>("openGrowth"),
    figure<PositiveDuration, &CircuitFigures::max_open>("maxOpen"),
    figure<Share, &CircuitFigures::open_jitter>("openJitter"),
    field<ChoiceKind<resilience::CircuitCounts>, &Policy::circuit, &CircuitRules::counts>("circuit",
                                                                                          "counts"),
    field<ChoiceKind<ProbeBy>, &Policy::circuit, &CircuitRules::probe_by>("circuit", "probeBy"),
    field<ClassNamesKind, &Policy::circuit, &CircuitRules::on>("circuit", "on"),
    field<TemplateKind, &Policy::circuit, &CircuitRules::hint>("circuit", "hint"),
    field<Some, &Policy::limit, &LimitRules::in_flight>("limit", "inFlight"),
    field<Places, &Policy::limit, &LimitRules::queue>("limit", "queue"),
    field<AnyDuration, &Policy::limit, &LimitRules::wait>("limit", "wait"),
    field<SwitchKind, &Policy::rate_limit, &RateRules::is_on>("", "rateLimit"),
    field<Some, &Policy::rate_limit, &RateRules::permits>("rateLimit", "permits"),
    field<PositiveDuration, &Policy::rate_limit, &RateRules::per>("rateLimit", "per"),
    // At one permit a day, a burst is regained within a year.
    field<CountKind<1, 365>, &Policy::rate_limit, &RateRules::burst>("rateLimit", "burst"),
    field<SwitchKind, &Policy::repeat_guard, &RepeatGuardRules::is_on>("", "repeatGuard"),
    field<CountKind<2, 1'000>, &Policy::repeat_guard, &RepeatGuardRules::failures>("repeatGuard",
                                                                                   "failures"),
    field<PositiveDuration, &Policy::repeat_guard, &RepeatGuardRules::hold>("repeatGuard", "hold"),
    field<ChoiceKind<DegradeAs>, &Policy::degrade, &DegradeRules::as>("degrade", "as"),
    field<DegradeTextsKind, &Policy::degrade, &DegradeRules::texts>("degrade", "texts"),
    field<TemplateKind, &Policy::degrade, &DegradeRules::uncertain>("degrade", "uncertain"),
};
static_assert(kFields.size() <= kMaxFields);

}  // namespace

std::string PolicyField::path() const {
    return group.empty() ? std::string{name} : std::string{group}.append(".").append(name);
}

std::span<const PolicyField> policy_fields() {
    return kFields;
}

const GivenFields& circuit_figures() {
    static const GivenFields figures = [] {
        GivenFields result;
        for (std::size_t index = 0; index < kFields.size(); ++index) {
            result.set(index, kFields[index].is_circuit_figure);
        }
        return result;
    }();
    return figures;
}

void apply(const PolicyLayer& layer, Policy& policy) {
    apply(layer, GivenFields{}.set(), policy);
}

void apply(const PolicyLayer& layer, const GivenFields& keys, Policy& policy) {
    for (std::size_t index = 0; index < kFields.size(); ++index) {
        if (layer.given[index] && keys[index]) {
            kFields[index].copy(layer.values, policy);
        }
    }
}

}  // namespace holdfast::policy
