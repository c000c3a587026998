#include "policy/reading/policy_fields.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>

#include "config/key_table.hpp"
#include "policy/reading/field_kinds.hpp"

namespace holdfast::policy {
namespace {

using config::Member;
using config::Node;

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
                            std::string_view description, bool is_circuit_figure = false) {
    return {
        .info = {.name = name,
                 .description = description,
                 .schema =
                     [] {
                         const Policy defaults;
                         return Kind::schema(config::member_at<Path...>(defaults));
                     }},
        .group = group,
        .is_circuit_figure = is_circuit_figure,
        .read = [](config::ObjectReader& object, std::string_view key,
                   Policy& into) { Kind::read(object, key, config::member_at<Path...>(into)); },
        .copy =
            [](const Policy& from, Policy& to) {
                put_over(config::member_at<Path...>(from), config::member_at<Path...>(to));
            },
        .text =
            [](const Policy& policy) { return Kind::text(config::member_at<Path...>(policy)); }};
}

template <class Kind, auto Figure>
constexpr PolicyField figure(std::string_view name, std::string_view description) {
    return field<Kind, &Policy::circuit, &CircuitRules::figures, Figure>("circuit", name,
                                                                         description, true);
}

using config::AnyDuration;
using config::ChoiceKind;
using config::CountKind;
using config::FlagKind;
using config::NumberKind;
using config::PositiveDuration;
using config::ShareKind;
using AnyCount = CountKind<0, 1'000'000>;
using Count = CountKind<1, 1'000'000>;
using Factor = NumberKind<1'000, 100'000>;

constexpr std::array kFields = {
    field<PositiveDuration, &Policy::timeout>("", "timeout", "Timeout of the whole call"),
    field<OptionalDurationKind, &Policy::attempt_timeout>("", "attemptTimeout",
                                                          "Timeout of one attempt, or `none`"),
    field<FlagKind, &Policy::progress_resets>(
        "", "progressResets",
        "A progress notification restarts the timeout of the attempt, never beyond that of the "
        "call"),
    field<WaitForConnectionKind, &Policy::wait_for_connection>(
        "", "waitForConnection",
        "Whether an unsent call waits, within the timeout of its attempt, for a server that is not "
        "connected. `firstTry`: until the first connection attempt since the disconnect has "
        "failed; then calls fail at once and name the time of the next attempt. `true`: also "
        "through failed attempts, until `reconnect.attempts` are used up. `false`: never. During "
        "the very first start, calls always wait until the first connection attempt has ended"),
    field<ChoiceKind<JunkRule>, &Policy::junk>(
        "", "junk",
        "How to handle a message that is not JSON-RPC and belongs to no call, such as a line that "
        "a program prints to its standard output. Per server. `skip`: it is counted and logged "
        "once. `fail`: it fails the only call in flight"),
    field<FlagKind, &Policy::classifies_results>("", "classifyResults",
                                                 "Inspect error results to classify them"),
    field<FlagKind, &Policy::shares_reads>(
        "", "shareReads",
        "A read that is identical to one in flight of the same agent waits for that answer"),
    field<AnyDuration, &Policy::stale_for>(
        "", "staleFor", "Up to this age, the last good answer of a read can replace a failure"),
    field<FlagKind, &Policy::suggests_alternatives>(
        "", "suggestAlternatives",
        "A failure with `CIRCUIT_OPEN`, `CONNECTION_LOST` or `RETRY_EXHAUSTED` names up to 2 "
        "healthy tools of other servers whose names and descriptions are similar. The gateway "
        "never calls them"),
    field<ChoiceKind<Detail>, &Policy::detail>("", "detail", "How much a failure says"),
    field<FlagKind, &Policy::debug>("", "debug", "`true` raises `detail` to `debug`"),
    field<SwitchKind, &Policy::retry, &RetryRules::is_on>("", "retry", "How to retry, or `none`"),
    field<CountKind<1, 100>, &Policy::retry, &RetryRules::attempts>(
        "retry", "attempts", "Attempts of a call, the first one included"),
    field<AnyDuration, &Policy::retry, &RetryRules::delay>("retry", "delay",
                                                           "Delay before the first retry"),
    field<Factor, &Policy::retry, &RetryRules::multiplier>(
        "retry", "multiplier", "Factor on the delay of each further one"),
    field<AnyDuration, &Policy::retry, &RetryRules::max_delay>("retry", "maxDelay",
                                                               "The longest delay"),
    field<ShareKind, &Policy::retry, &RetryRules::jitter>(
        "retry", "jitter", "Share of a delay by which it is randomly longer or shorter"),
    field<ClassNamesKind, &Policy::retry, &RetryRules::on>(
        "retry", "on", "The error classes to retry; `*` for all"),
    field<ChoiceKind<resilience::RepeatRule>, &Policy::retry, &RetryRules::when>(
        "retry", "when",
        "`safe`: a call that was sent is retried only if the tool is read-only or idempotent. "
        "`always`: any call is"),
    field<AnyDuration, &Policy::retry, &RetryRules::retry_after_slack>(
        "retry", "retryAfterSlack",
        "How much later than computed a retry may be because the server asks for it"),
    field<SwitchKind, &Policy::retry, &RetryRules::budget, &BudgetRules::is_on>(
        "retry", "budget", "Limit on the retries of all calls to a server together, or `none`"),
    field<NumberKind<1, 1'000>, &Policy::retry, &RetryRules::budget, &BudgetRules::ratio>(
        "retry.budget", "ratio", "Retries per call within the window"),
    field<AnyCount, &Policy::retry, &RetryRules::budget, &BudgetRules::floor>(
        "retry.budget", "floor", "Retries that are allowed in any case"),
    field<PositiveDuration, &Policy::retry, &RetryRules::budget, &BudgetRules::window>(
        "retry.budget", "window", "Time over which calls and retries are counted"),
    field<SwitchKind, &Policy::circuit, &CircuitRules::is_on>(
        "", "circuit", "When to stop calling a failing server, or `none`"),
    figure<Count, &CircuitFigures::failures>("failures", "Failures in a row that open the circuit"),
    figure<PositiveDuration, &CircuitFigures::open>("open", "How long it stays open"),
    figure<CountKind<1, resilience::CircuitBreakerOptions::kMaxProbes>, &CircuitFigures::probes>(
        "probes", "Concurrent calls that probe the server afterwards"),
    figure<Count, &CircuitFigures::successes>("successes",
                                              "Successful probes that close the circuit"),
    figure<ShareKind, &CircuitFigures::failure_rate>(
        "failureRate",
        "The circuit also opens if this share of the calls within `window` failed and there were "
        "at least `minimumCalls` of them; 0 = off"),
    figure<Count, &CircuitFigures::minimum_calls>("minimumCalls", "See `failureRate`"),
    figure<PositiveDuration, &CircuitFigures::window>("window", "See `failureRate`"),
    figure<Factor, &CircuitFigures::open_growth>(
        "openGrowth", "Factor on the open time each time the circuit opens again soon"),
    figure<PositiveDuration, &CircuitFigures::max_open>("maxOpen", "The longest open time"),
    figure<ShareKind, &CircuitFigures::open_jitter>(
        "openJitter", "Random share by which the open time is shortened"),
    field<ChoiceKind<resilience::CircuitCounts>, &Policy::circuit, &CircuitRules::counts>(
        "circuit", "counts", "What counts once: a call with all its attempts, or each attempt"),
    field<ChoiceKind<ProbeBy>, &Policy::circuit, &CircuitRules::probe_by>(
        "circuit", "probeBy",
        "What probes a server whose circuit was open: the next call, or a ping of the gateway "
        "before that call"),
    field<ClassNamesKind, &Policy::circuit, &CircuitRules::on>(
        "circuit", "on",
        "The error classes that count as failures; `*` for all. Default: as each class says"),
    field<TemplateKind, &Policy::circuit, &CircuitRules::hint>(
        "circuit", "hint", "What the agent may check while the circuit is open"),
    field<Count, &Policy::limit, &LimitRules::in_flight>(
        "limit", "inFlight",
        "Concurrent calls. Default: that of `limits`, which is 8 for programs"),
    field<AnyCount, &Policy::limit, &LimitRules::queue>("limit", "queue",
                                                        "Queued calls. Default: that of `limits`"),
    field<config::QueueWaitKind, &Policy::limit, &LimitRules::wait>(
        "limit", "wait",
        "How long a call waits for a free slot, or `deadline`. Default: `limits.queueWait`"),
    field<SwitchKind, &Policy::rate_limit, &RateRules::is_on>(
        "", "rateLimit", "Limit on the calls of one agent to one server, or `none`"),
    field<Count, &Policy::rate_limit, &RateRules::permits>("rateLimit", "permits",
                                                           "Calls within `per`"),
    field<PositiveDuration, &Policy::rate_limit, &RateRules::per>("rateLimit", "per",
                                                                  "The time for `permits` calls"),
    // A burst is given back within a year even at one permit a day.
    field<CountKind<1, 365>, &Policy::rate_limit, &RateRules::burst>("rateLimit", "burst",
                                                                     "Calls at once"),
    field<SwitchKind, &Policy::repeat_guard, &RepeatGuardRules::is_on>(
        "", "repeatGuard",
        "An object, even an empty one, turns this on: a call that keeps failing in the same "
        "permanent "
        "way is not sent again for a while. Does not count error results (`isError`) of tools. A "
        "successful call of a tool of that server that is not read-only lifts it"),
    field<CountKind<2, 1'000>, &Policy::repeat_guard, &RepeatGuardRules::failures>(
        "repeatGuard", "failures", "Failures after which the call is not sent"),
    field<PositiveDuration, &Policy::repeat_guard, &RepeatGuardRules::hold>(
        "repeatGuard", "hold", "How long it is not sent"),
    field<ChoiceKind<DegradeAs>, &Policy::degrade, &DegradeRules::as>(
        "degrade", "as",
        "How a failure is returned: as a result with `isError`, or as a plain result. "
        "`INVALID_ARGUMENTS` is always a result with `isError`"),
    field<DegradeTextsKind, &Policy::degrade, &DegradeRules::texts>(
        "degrade", "texts",
        "Texts by error class, failure code or `other`: one text, or one each for reads and "
        "writes. In a text, `{attemptCount}` is \"1 attempt\" or \"3 attempts\" and `{lastError}` "
        "the reason why the last attempt failed; also `{tool}`, `{server}`, `{circuit}`, "
        "`{seconds}`, `{status}`, `{detail}`, `{arguments}`, `{code}`, `{hint}`, `{attempts}`, "
        "`{uncertain}`"),
    field<TemplateKind, &Policy::degrade, &DegradeRules::uncertain>(
        "degrade", "uncertain",
        "The replacement for `{uncertain}` in the text for a write that may have taken effect"),
};
static_assert(kFields.size() <= kMaxFields);

/// Groups that cannot be switched off, so that no field describes them.
struct PlainGroup {
    std::string_view name;
    std::string_view description;
};
constexpr std::array<PlainGroup, 2> kPlainGroups = {{
    {.name = "limit",
     .description = "Concurrency of one server. A rule of `tools` does not change it"},
    {.name = "degrade", .description = "How a failure is worded"},
}};

std::vector<config::KeyInfo> infos_in(std::string_view group, const GivenFields& keys) {
    std::vector<config::KeyInfo> infos;
    for (std::size_t index = 0; index < kFields.size(); ++index) {
        if (kFields[index].group == group && keys[index]) {
            infos.push_back(kFields[index].info);
        }
    }
    return infos;
}

/// The schema of a group, and of the groups in it. A key that switches a group also has its object.
Node schema_of_group(std::string_view group, Node schema) {
    Node* const properties = schema.find("properties");
    for (Member& property : properties->members) {
        const std::string path =
            group.empty() ? property.key : std::string{group} + '.' + property.key;
        const auto inner = infos_in(path, GivenFields{}.set());
        if (inner.empty()) {
            continue;
        }
        Node object = schema_of_group(path, config::object_schema(inner));
        Node& value = property.value;
        const bool has_switch =
            std::erase_if(value.members, [](const Member& one) { return one.key == "const"; }) > 0;
        if (has_switch) {
            const Node none = config::object_node({{"const", config::text_node("none")}});
            object = config::any_of({std::move(object), none});
        }
        std::ranges::move(object.members, std::back_inserter(value.members));
    }
    return schema;
}

}  // namespace

std::string PolicyField::path() const {
    return group.empty() ? std::string{info.name}
                         : std::string{group}.append(".").append(info.name);
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

std::vector<config::KeyInfo> keys_of_group(std::string_view group) {
    return infos_in(group, GivenFields{}.set());
}

std::vector<config::KeyInfo> circuit_keys() {
    return infos_in("circuit", circuit_figures());
}

std::vector<config::KeyInfo> policy_keys() {
    std::vector<config::KeyInfo> keys = keys_of_group("");
    keys.insert(keys.begin(),
                {.name = "extends",
                 .description = "The name of the policy that this one changes. Default: `default`",
                 .schema = config::text_schema});
    for (const PlainGroup& group : kPlainGroups) {
        keys.push_back({.name = group.name, .description = group.description, .schema = [] {
                            return config::object_node({});
                        }});
    }
    return keys;
}

Node policy_schema() {
    return schema_of_group("", config::object_schema(policy_keys()));
}

}  // namespace holdfast::policy
