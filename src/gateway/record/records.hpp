#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/outcome.hpp"

namespace holdfast::record {

/// The result of one attempt of a call. Refers to texts of others.
struct AttemptRecord {
    std::string_view server = {};  ///< Where it was sent; differs from the call's for a substitute.
    std::int64_t began_us = 0;     ///< After the call came.
    std::int64_t took_us = 0;
    std::string_view end = "answered";  ///< Or the error class, such as `timeout`.
    std::string_view detail = {};       ///< Why, in words and without secrets; empty if answered.
};

/// One call of an agent, from its arrival to its answer, without secrets and arguments. Refers to
/// texts and attempts of others, so that creating one is cheap; `kept` makes a copy that owns them.
struct CallRecord {
    std::string_view id = {};
    std::int64_t at_ms = 0;  ///< When it came, since the epoch.
    std::string_view principal = {};
    std::uint64_t session = 0;               ///< Only identifies the agent; 0 = no session.
    std::string_view method = "tools/call";  ///< Of static storage.
    std::string_view tool = {};  ///< As the agent called it: an exposed name, a prompt, a uri.
    std::string_view server = {};
    std::string_view route = {};  ///< Why it went there, in words. Of static storage.
    /// `ok`, `tool_error`, `stale`, `cancelled`, or the failure's code. Static storage.
    std::string_view outcome = {};
    std::string_view message = {};         ///< Of a failure.
    std::string_view policy = {};          ///< Its name.
    std::string_view circuit = {};         ///< Empty = none.
    std::string_view circuit_before = {};  ///< `closed`, `open`, `half_open`. Of static storage.
    std::string_view circuit_after = {};   ///< The same.
    std::string_view substitute = {};      ///< The tool that answered in its place; empty = itself.
    std::int64_t queue_us = 0;             ///< Spent waiting for a slot.
    std::int64_t total_us = 0;
    std::size_t bytes_in = 0;   ///< Of the agent's params.
    std::size_t bytes_out = 0;  ///< Of the answer.
    std::span<const AttemptRecord> attempts = {};

    [[nodiscard]] bool is_failure() const noexcept {
        return outcome != "ok" && outcome != "tool_error" && outcome != "cancelled";
    }
};

/// A record that owns its texts.
using KeptCall = std::shared_ptr<const CallRecord>;

/// Returns a copy that owns everything except static texts, in one block of memory.
[[nodiscard]] std::shared_ptr<CallRecord> kept(const CallRecord& record);
/// Returns the approximate size of the copy.
[[nodiscard]] std::size_t size_bytes_of(const CallRecord& record) noexcept;

enum class EventKind : std::uint8_t {
    call,        ///< A call failed.
    connection,  ///< A downstream connects, is ready, is lost, waits, is given up.
    circuit,     ///< A circuit changed its state, or a person changed it.
    retry,       ///< An attempt will be made again.
    refusal,     ///< A safeguard sent a call away.
    router,      ///< Tools were listed for a query.
    fallback,    ///< A step of the search ladder was left.
    gateway,     ///< The gateway itself: started, config reloaded, draining, disk full.
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

/// Receives calls and events. Never blocks: what cannot be stored is dropped and counted.
///
/// Thread-safety: from any thread.
class Recorder {
public:
    Recorder() = default;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    virtual ~Recorder() = default;

    /// What the record refers to need not outlive the call.
    virtual void on_call(const CallRecord& record) = 0;
    /// Fills in `at_ms` if it is zero.
    virtual void on_event(Event event) = 0;
};

}  // namespace holdfast::record
