#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "downstream/downstream_status.hpp"
#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

struct ReconnectOptions {
    resilience::BackoffOptions backoff = {};
    /// A session that lived this long is replaced at once.
    resilience::Duration sustained_uptime = std::chrono::seconds{30};
    resilience::Duration max_retry_after = std::chrono::minutes{10};
    /// The longest delay after refusals of the credential.
    resilience::Duration max_denied_delay = std::chrono::minutes{10};
    /// The server connects to the gateway: an attempt takes a waiting connection, else waits for
    /// one.
    bool waits_for_peer = false;
};

/// What a ready link lost.
enum class Loss : std::uint8_t {
    session,     ///< The server is reachable but no longer knows the session.
    connection,  ///< The connection or the process.
};

/// Decides when to dial. The owner opens a link whenever the state becomes `connecting`, reports
/// the result, and calls `on_time` at `wake_at`. A session that lasted long enough is replaced at
/// once.
///
/// The delay resets after a link that proved itself: it answered a request after the handshake and
/// lived at least as long as the delay before it. A link lost earlier counts as a failure, so that
/// a downstream that accepts and dies is dialled as rarely as one that refuses.
///
/// Thread-safety: none.
class ReconnectMachine final {
public:
    using Duration = resilience::Duration;
    using TimePoint = resilience::TimePoint;

    /// Requires back-off options that pass `validated`.
    ReconnectMachine(const ReconnectOptions& options, std::uint64_t seed);

    /// The downstream is needed. Returns whether this is the first time.
    bool on_start();
    /// The attempt succeeded. Like `on_refused` valid only in the state `connecting`. Returns false
    /// if the machine has been stopped.
    [[nodiscard]] bool on_opened(TimePoint now);
    /// The attempt failed; the downstream may have specified a retry time.
    void on_refused(TimePoint now, std::optional<Duration> retry_after);
    /// The same for a refusal of the credential. Asking again with the same one is pointless, so
    /// the delay doubles up to `max_denied_delay`, whatever the back-off allows.
    void on_denied(TimePoint now, std::optional<Duration> retry_after);
    /// The ready link is lost. `has_answered`: it answered a request after the handshake.
    void on_lost(TimePoint now, Loss what, bool has_answered);
    /// The downstream announces that it is reachable. Dials at once, or as soon as the current
    /// attempt or link has failed. Returns whether an attempt is due.
    bool on_available();
    /// `wake_at` may have passed. `has_answered` refers to the ready link, if any. Returns whether
    /// anything but `wake_at` changed.
    bool on_time(TimePoint now, bool has_answered);
    /// An operator pauses the downstream. Returns whether anything changed.
    bool on_pause();
    /// An operator ends the pause. Returns whether there was one; an attempt is then due.
    bool on_resume();
    /// An operator requests a new link instead of the current one, if any. Returns whether an
    /// attempt is due: not if one is running, nor while paused.
    bool on_restart();
    void on_stop();

    [[nodiscard]] LinkState state() const noexcept { return state_; }
    /// When to call `on_time`; the end of time if there is nothing to wait for.
    [[nodiscard]] TimePoint wake_at() const noexcept { return wake_at_; }
    [[nodiscard]] std::optional<TimePoint> next_attempt_at() const noexcept;
    [[nodiscard]] std::optional<TimePoint> ready_since() const noexcept;
    [[nodiscard]] std::uint32_t failures_in_row() const noexcept { return failures_in_row_; }
    /// Since the last link that became ready.
    [[nodiscard]] std::uint32_t failed_dials() const noexcept { return failed_dials_; }
    /// Whether the connection was lost or a dial failed, and no dial has succeeded since. False
    /// during the very first dial, and while an operator's restart or a new session is being set
    /// up.
    [[nodiscard]] bool is_down() const noexcept { return is_down_; }
    [[nodiscard]] std::uint64_t connects() const noexcept { return connects_; }

private:
    void refuse(TimePoint now, Duration at_least);
    void fail(TimePoint now, Duration at_least);
    void forget_failures() noexcept;
    [[nodiscard]] bool has_proved_itself(TimePoint now, bool has_answered) const;
    void enter(LinkState state, TimePoint wake_at = TimePoint::max());

    const resilience::Backoff backoff_;
    const Duration sustained_uptime_;
    const Duration max_retry_after_;
    const Duration max_denied_delay_;
    const bool waits_for_peer_;
    std::mt19937_64 random_;
    LinkState state_ = LinkState::idle;
    bool is_available_ = false;  // announced during another attempt or link
    TimePoint wake_at_ = TimePoint::max();
    TimePoint ready_since_ = {};
    Duration previous_delay_ = Duration::zero();
    std::uint32_t failures_in_row_ = 0;
    std::uint32_t failed_dials_ = 0;
    Duration denied_delay_ = Duration::zero();  // after the last attempt, if it was denied
    bool is_down_ = false;
    std::uint64_t connects_ = 0;
};

}  // namespace holdfast::downstream
