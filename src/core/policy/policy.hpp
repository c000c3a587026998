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

/// `retry.budget`: how many retries the calls of a downstream may add together.
struct BudgetRules {
    bool is_on = true;
    double ratio = 0.1;  ///< Retries for each call of the window.
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
    double jitter = 0.2;  ///< Share of a delay by which it may be longer or shorter.
    /// Names of error classes; `*` = all.
    std::vector<std::string> on = {"timeout",        "rateLimited",  "serverError",
                                   "connectionLost", "notConnected", "malformed"};
    resilience::RepeatRule when = resilience::RepeatRule::safe;
    /// How much later than computed a retry may be because the downstream asks for it.
    Duration retry_after_slack = std::chrono::seconds{5};
    BudgetRules budget = {};

    friend bool operator==(const RetryRules&, const RetryRules&) = default;
};

/// When a circuit opens and closes: the keys that an entry of `circuits` has too.
struct CircuitFigures {
    std::uint32_t failures = 5;  ///< In a row.
    Duration open = std::chrono::seconds{30};
    std::uint32_t probes = 1;
    std::uint32_t successes = 1;
    double failure_rate = 0;  ///< Share of the window's calls that opens it too; 0 = off.
    std::uint32_t minimum_calls = 10;
    Duration window = std::chrono::seconds{30};
    double open_growth = 1;  ///< Factor for each opening soon after another.
    Duration max_open = std::chrono::seconds{300};
    double open_jitter = 0;  ///< Share of the open time that is random; it only shortens.

    friend bool operator==(const CircuitFigures&, const CircuitFigures&) = default;
};

/// What finds out whether a server whose circuit was open is well again.
enum class ProbeBy : std::uint8_t {
    call,  ///< The next call of an agent.
    ping,  ///< A request of the gateway's own that does nothing, before the next call.
};

/// `circuit`
struct CircuitRules {
    bool is_on = true;
    CircuitFigures figures = {};
    ProbeBy probe_by = ProbeBy::call;
    resilience::CircuitCounts counts = resilience::CircuitCounts::call;
    /// Classes that count as failures, whatever they say themselves; the others then do
    /// not. `*` = all. Nothing = each class as it says.
    std::optional<std::vector<std::string>> on = std::nullopt;
    std::string hint = {};  ///< What the agent may check while the circuit is open.

    friend bool operator==(const CircuitRules&, const CircuitRules&) = default;
};

/// `limit`: of one downstream. A tool's rules do not change it.
struct LimitRules {
    std::uint32_t in_flight = 32;
    std::uint32_t queue = 64;
    Duration wait = std::chrono::seconds{5};

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

/// `repeatGuard`: a call that fails in the same lasting way so often is answered here for a while.
struct RepeatGuardRules {
    bool is_on = true;
    std::uint32_t failures = 3;
    Duration hold = std::chrono::seconds{60};

    friend bool operator==(const RepeatGuardRules&, const RepeatGuardRules&) = default;
};

/// `waitForConnection`: whether a call that was not sent waits, within its attempt's time, while
/// its downstream is not connected.
enum class WaitForConnection : std::uint8_t {
    never,      ///< Only during the very first start, until the first dial has ended.
    first_try,  ///< Until the first dial since the loss has failed.
    always,     ///< Through failed dials too, until the reconnection attempts are used up.
};

/// `junk`: what a message of a downstream does that is not JSON-RPC and names no call. Of one
/// downstream; a tool's rules do not change it.
enum class JunkRule : std::uint8_t {
    skip,  ///< Nothing: it is counted and reported.
    fail,  ///< It fails the only call in flight.
};

/// How much a failure says.
enum class Detail : std::uint8_t {
    minimal,       ///< The tool and the reason.
    standard,      ///< The failure object.
    self_correct,  ///< Words from which a model can correct its call.
    debug,         ///< Also arguments, timeout and attempt.
};

/// Everything that decides how a call is treated. The values here are the built-in policy.
///
/// Thread-safety: that of a plain value.
struct Policy {
    Duration timeout = std::chrono::seconds{60};  ///< Of the whole call.
    /// Of one attempt; nothing = only the whole call has one.
    std::optional<Duration> attempt_timeout = std::chrono::seconds{30};
    /// Progress of the downstream starts the attempt's timeout anew, never beyond that of the call.
    bool progress_resets = false;
    WaitForConnection wait_for_connection = WaitForConnection::first_try;
    JunkRule junk = JunkRule::skip;
    /// Look into the text of errors and of results that are errors, to classify them.
    bool classifies_results = false;
    /// Reads of one agent that are alike and in flight at the same time share one attempt.
    bool shares_reads = false;
    Duration stale_for = Duration::zero();  ///< Age up to which an answer may stand in; 0 = never.
    /// A failure of a server that is unavailable names similar tools of other servers.
    bool suggests_alternatives = false;
    Detail detail = Detail::standard;
    bool debug = false;  ///< Lifts `detail` to `debug`.
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

/// What a single call asks for.
struct CallOverrides {
    std::optional<Duration> timeout = std::nullopt;
    bool debug = false;

    friend bool operator==(const CallOverrides&, const CallOverrides&) = default;
};

/// The policy of a single call. An agent can shorten its timeout but not lengthen it.
[[nodiscard]] Policy for_call(Policy policy, const CallOverrides& wishes);

[[nodiscard]] std::string_view name_of(Detail detail) noexcept;

}  // namespace holdfast::policy
