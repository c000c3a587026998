#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::telemetry {

/// What became of one attempt of a call.
struct AttemptRecord {
    std::string server = {};    ///< Where it went; another one than the call's for a stand-in.
    std::int64_t began_us = 0;  ///< After the call came.
    std::int64_t took_us = 0;
    std::string end = "answered";  ///< Or the error class, such as `timeout`.
    std::string detail = {};       ///< Why, in words and without secrets; empty if answered.
};

/// One call of an agent, from its coming to its answer. Without secrets, and without the arguments.
struct CallRecord {
    std::string id = {};
    std::int64_t at_ms = 0;  ///< When it came, since the epoch.
    std::string principal = {};
    std::string session = {};  ///< Which agent; a name that tells agents apart and says no more.
    std::string method = "tools/call";
    std::string tool = {};  ///< As the agent called it: an exposed name, a prompt, a uri.
    std::string server = {};
    std::string route = {};    ///< Why it went there, in words.
    std::string outcome = {};  ///< `ok`, `tool_error`, `stale`, `cancelled`, or the failure's code.
    std::string message = {};  ///< Of a failure.
    std::string policy = {};   ///< Its name.
    /// What the policy says and where each value came from, as JSON. May be null.
    std::shared_ptr<const std::string> policy_values = nullptr;
    std::string circuit = {};         ///< Empty = none.
    std::string circuit_before = {};  ///< `closed`, `open`, `half_open`.
    std::string circuit_after = {};
    std::string stand_in = {};  ///< The tool that answered in its place; empty = itself.
    std::int64_t queue_us = 0;  ///< Spent waiting for a slot.
    std::int64_t total_us = 0;
    std::size_t bytes_in = 0;   ///< Of the agent's params.
    std::size_t bytes_out = 0;  ///< Of the answer.
    std::vector<AttemptRecord> attempts = {};

    [[nodiscard]] bool is_failure() const noexcept {
        return outcome != "ok" && outcome != "tool_error" && outcome != "cancelled";
    }
};

enum class EventKind : std::uint8_t {
    call,        ///< A call failed.
    connection,  ///< A downstream connects, is ready, is lost, waits, is given up.
    circuit,     ///< A circuit changed its state, or a person changed it.
    retry,       ///< An attempt will be made again.
    refusal,     ///< A safeguard sent a call away.
    router,      ///< Tools were listed for a query.
    fallback,    ///< A step of the search ladder was left.
    gateway,     ///< The gateway itself: started, config read anew, draining, a disk that is full.
};

[[nodiscard]] std::string_view text_of(EventKind kind) noexcept;

/// Something that happened beside the calls' own records.
struct Event {
    std::int64_t at_ms = 0;  ///< Since the epoch.
    EventKind kind = EventKind::gateway;
    std::string server = {};   ///< Empty = none in particular.
    std::string subject = {};  ///< The circuit, tool or step that it is about.
    /// What happened, one word: `opened` `closed` `half_open` · `connecting` `ready` `waiting`
    /// `lost` `given_up` `stopped` `paused` · `retry` · the refusal's reason · `listed` · `started`
    /// …
    std::string what = {};
    std::string reason = {};  ///< In words, without secrets.
    std::int64_t wait_ms =
        -1;  ///< Until the next try, or as long as the circuit is open; -1 = none.
    std::uint32_t attempt = 0;  ///< Of a retry or a connection.
    std::uint32_t max_attempts = 0;
    std::string call_id = {};
};

/// Takes in what happens. Never blocks: what cannot be kept is dropped and counted.
///
/// Thread-safety: from any thread.
class Recorder {
public:
    Recorder() = default;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    virtual ~Recorder() = default;

    virtual void on_call(CallRecord record) = 0;
    /// `at_ms` is filled in if it is zero.
    virtual void on_event(Event event) = 0;
};

}  // namespace holdfast::telemetry
