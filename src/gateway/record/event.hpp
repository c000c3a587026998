#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/outcome.hpp"

namespace holdfast::record {

enum class EventKind : std::uint8_t {
    call,        ///< A call failed.
    connection,  ///< The connection to a downstream changed its state.
    circuit,     ///< A circuit changed its state, or a person changed it.
    retry,       ///< A call will be retried.
    refusal,     ///< A safeguard rejected a call.
    router,      ///< Tools were listed for a query.
    fallback,    ///< A search step was skipped.
    gateway,     ///< The gateway drains, or its telemetry store changed its state.
};

[[nodiscard]] std::string_view text_of(EventKind kind) noexcept;

/// What happened, within the kind of the event. The API, the store and the metrics show it as text.
enum class EventWhat : std::uint8_t {
    none,
    // connection
    idle,
    connecting,
    ready,
    waiting,
    given_up,
    paused,
    stopped,
    restarted,    ///< By an operator.
    resumed,      ///< By an operator.
    list_failed,  ///< The server did not answer a list request; the subject names it.
    list_faults,  ///< Entries of a list were repaired or skipped.
    list_read,    ///< The same list could be read again.
    junk,         ///< The server sent a line that is not JSON-RPC.
    // circuit
    opened,
    closed,
    half_open,
    reset,  ///< This and the following: by an operator.
    forced_open,
    disabled,
    metrics_only,
    normal,
    // retry
    retry,
    // refusal: the names of `resilience::RefusalReason`
    circuit_open,
    circuit_probing,
    circuit_forced_open,
    rate_limited,
    queue_full,
    queue_too_slow,
    queue_wait_exceeded,
    key_limit_reached,
    // router
    listed,
    called,
    // fallback
    left,
    // gateway
    draining,
    on,             ///< The store of the telemetry works again.
    counters_only,  ///< The store of the telemetry does not work.
};

[[nodiscard]] std::string_view text_of(EventWhat what) noexcept;
[[nodiscard]] EventWhat event_what(resilience::CircuitState state) noexcept;
[[nodiscard]] EventWhat event_what(resilience::RefusalReason reason) noexcept;

/// An event other than a recorded call.
struct Event {
    std::int64_t at_ms = 0;  ///< Since the epoch.
    EventKind kind = EventKind::gateway;
    std::string server = {};   ///< Empty = none in particular.
    std::string subject = {};  ///< The circuit, tool or step that it is about.
    EventWhat what = EventWhat::none;
    /// Of a failed call: the outcome in its record. Of static storage.
    std::string_view outcome = {};
    std::string reason = {};  ///< In words, without secrets.
    std::int64_t wait_ms =
        -1;  ///< Until the next try, or as long as the circuit is open; -1 = none.
    std::uint32_t attempt = 0;  ///< Of a retry or a connection; of `junk` the messages so far.
    std::uint32_t max_attempts = 0;
    std::string call_id = {};

    /// What happened, as the API shows it.
    [[nodiscard]] std::string_view what_text() const noexcept {
        return outcome.empty() ? text_of(what) : outcome;
    }
};

}  // namespace holdfast::record
