#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/pipeline.hpp"
#include "holdfast/resilience/retry_sequence.hpp"
#include "holdfast/resilience/time.hpp"
#include "policy/degrade.hpp"
#include "policy/error_class.hpp"

namespace holdfast::policy {

using resilience::Duration;

/// `retry.budget`: limits the retries of all calls of a downstream together.
struct BudgetRules {
    bool is_on = true;
    double ratio = 0.1;  ///< Retries per call of the window.
    std::uint32_t floor = 3;
    Duration window = std::chrono::seconds{10};

    friend bool operator==(const BudgetRules&, const BudgetRules&) = default;
};

/// `retry`
struct RetryRules {
    bool is_on = true;
    std::uint32_t attempts = 3;
    Duration delay = std::chrono::milliseconds{500};
    double multiplier = 2;
    Duration max_delay = std::chrono::seconds{10};
    double jitter = 0.2;  ///< Share of a delay by which it may vary in both directions.
    /// Names of error classes; `*` = all.
    std::vector<std::string> on = {"timeout",        "rateLimited",  "serverError",
                                   "connectionLost", "notConnected", "malformed"};
    resilience::RepeatRule when = resilience::RepeatRule::safe;
    /// How much a retry may be delayed beyond its computed time if the downstream requests it.
    Duration retry_after_slack = std::chrono::seconds{5};
    BudgetRules budget = {};

    friend bool operator==(const RetryRules&, const RetryRules&) = default;
};

/// When a circuit opens and closes: the keys that entries of `circuits` have too.
struct CircuitFigures {
    std::uint32_t failures = 5;  ///< Consecutive failures.
    Duration open = std::chrono::seconds{30};
    std::uint32_t probes = 1;
    std::uint32_t successes = 1;
    /// Share of failed calls in the window that also opens the circuit; 0 = off.
    double failure_rate = 0;
    std::uint32_t minimum_calls = 10;
    Duration window = std::chrono::seconds{30};
    double open_growth = 1;  ///< Factor for each opening soon after the previous one.
    Duration max_open = std::chrono::seconds{300};
    double open_jitter = 0;  ///< Random share by which the open time is shortened.

    friend bool operator==(const CircuitFigures&, const CircuitFigures&) = default;
};

/// What probes a server whose circuit was open.
enum class ProbeBy : std::uint8_t {
    call,  ///< The next call of an agent.
    ping,  ///< A harmless request by the gateway, before the next call.
};

/// `circuit`
struct CircuitRules {
    bool is_on = true;
    CircuitFigures figures = {};
    ProbeBy probe_by = ProbeBy::call;
    resilience::CircuitCounts counts = resilience::CircuitCounts::call;
    /// Classes that count as failures; all others then do not. `*` = all. Nothing = each class
    /// decides.
    std::optional<std::vector<std::string>> on = std::nullopt;
    std::string hint = {};  ///< Advice for the agent while the circuit is open.

    friend bool operator==(const CircuitRules&, const CircuitRules&) = default;
};

/// `limit`: of one downstream; the same for all its tools.
struct LimitRules {
    std::uint32_t in_flight = 32;
    std::uint32_t queue = 64;
    std::optional<Duration> wait = std::nullopt;  ///< Nothing = until the deadline of the call.

    friend bool operator==(const LimitRules&, const LimitRules&) = default;
};

/// `rateLimit`: of one agent at one downstream.
struct RateRules {
    bool is_on = false;
    std::uint32_t permits = 10;
    Duration per = std::chrono::seconds{1};
    std::uint32_t burst = 10;

    friend bool operator==(const RateRules&, const RateRules&) = default;
};

/// `repeatGuard`: after this many identical permanent failures, the gateway itself answers such a
/// call for a while. Error results of tools do not count.
struct RepeatGuardRules {
    bool is_on = false;
    std::uint32_t failures = 3;
    Duration hold = std::chrono::seconds{60};

    friend bool operator==(const RepeatGuardRules&, const RepeatGuardRules&) = default;
};

/// `waitForConnection`: whether a call that was not sent waits for the connection, within its
/// attempt's timeout.
enum class WaitForConnection : std::uint8_t {
    never,      ///< Only at startup, until the first connection attempt has ended.
    first_try,  ///< Until the first reconnection attempt has failed.
    always,     ///< Through failed attempts, until the reconnection attempts are used up.
};

/// `junk`: what happens to a message of a downstream that is not JSON-RPC and names no call. Of one
/// downstream; the same for all its tools.
enum class JunkRule : std::uint8_t {
    skip,  ///< It is counted and reported.
    fail,  ///< It fails the only call in flight.
};

/// How much a failure message explains.
enum class Detail : std::uint8_t {
    minimal,       ///< The tool and the reason.
    standard,      ///< The failure object.
    self_correct,  ///< A text that helps a model to correct its call.
    debug,         ///< Also arguments, timeout and attempt.
};

/// Everything that decides how a call is handled. The values here are the built-in policy.
///
/// Thread-safety: that of a plain value.
struct Policy {
    /// Of the whole call. Shorter than the 60 s after which common clients give up, so that the
    /// agent gets the answer of the gateway.
    Duration timeout = std::chrono::seconds{50};
    /// Of one attempt; nothing = only the whole call has a timeout.
    std::optional<Duration> attempt_timeout = std::chrono::seconds{30};
    /// A progress message restarts the attempt's timeout, never beyond the call's timeout.
    bool progress_resets = false;
    WaitForConnection wait_for_connection = WaitForConnection::first_try;
    JunkRule junk = JunkRule::skip;
    /// Classify by the text of errors and of error results.
    bool classifies_results = false;
    /// Identical reads of one agent that are in flight at the same time share one attempt.
    bool shares_reads = false;
    /// Maximum age of a cached answer that may replace a failed one; 0 = never.
    Duration stale_for = Duration::zero();
    /// The failure of an unavailable server suggests similar tools of other servers.
    bool suggests_alternatives = false;
    Detail detail = Detail::standard;
    bool debug = false;  ///< Raises `detail` to `debug`.
    RetryRules retry = {};
    CircuitRules circuit = {};
    LimitRules limit = {};
    RateRules rate_limit = {};
    RepeatGuardRules repeat_guard = {};
    DegradeRules degrade = {};
    /// Never null. Shared with the other policies of the same server.
    std::shared_ptr<const ErrorClasses> classes = builtin_classes();

    [[nodiscard]] Detail effective_detail() const noexcept {
        return debug ? Detail::debug : detail;
    }

    friend bool operator==(const Policy&, const Policy&) = default;
};

/// Settings that a single call requests.
struct CallOverrides {
    std::optional<Duration> timeout = std::nullopt;
    bool debug = false;

    friend bool operator==(const CallOverrides&, const CallOverrides&) = default;
};

/// Returns the policy of a single call. An agent can shorten the timeout but not extend it.
[[nodiscard]] Policy for_call(Policy policy, const CallOverrides& wishes);

[[nodiscard]] std::string_view name_of(Detail detail) noexcept;

}  // namespace holdfast::policy
