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
    /// It connects to us: a try takes what has come, and the next one waits until more does.
    bool waits_for_peer = false;
};

/// What was lost of a link that was ready.
enum class Loss : std::uint8_t {
    session,     ///< The server is there, but does not know the session any more.
    connection,  ///< The connection or the process.
};

/// When to dial. The owner opens a link whenever the state becomes `connecting`, reports the
/// result, and calls `on_time` when `wake_at` has come. A session that has lasted is replaced at
/// once.
///
/// The delay starts from its first value again after a link that has proved itself: it answered a
/// request after the handshake, and it lived at least as long as the delay before it. A link that
/// was lost sooner counts as a failure, so that a downstream that accepts and dies is dialled as
/// seldom as one that refuses.
///
/// Thread-safety: none.
class ReconnectMachine final {
public:
    using Duration = resilience::Duration;
    using TimePoint = resilience::TimePoint;

    /// Requires back-off options that pass `validated`.
    ReconnectMachine(const ReconnectOptions& options, std::uint64_t seed);

    /// Somebody needs the downstream. Returns whether this is the first time.
    bool on_start();
    /// The try succeeded. Like `on_refused`, for a try that is still wanted: the state is
    /// `connecting`. False if it has been stopped.
    [[nodiscard]] bool on_opened(TimePoint now);
    /// The try failed; the downstream may have said when to come back.
    void on_refused(TimePoint now, std::optional<Duration> retry_after);
    /// The link that was ready is gone. `has_answered`: it answered a request after the handshake.
    void on_lost(TimePoint now, Loss what, bool has_answered);
    /// The downstream is there, by its own account: whatever was waited for, it is tried at once,
    /// or as soon as the try or the link of now has failed. Returns whether a try is due.
    bool on_available();
    /// `wake_at` may have come. `has_answered` is about the link that is ready, if there is one.
    /// Returns whether anything but `wake_at` changes.
    bool on_time(TimePoint now, bool has_answered);
    /// An operator wants it to rest. Returns whether anything changes.
    bool on_pause();
    /// The operator's pause is over. Returns whether there was one; a try is due then.
    bool on_resume();
    /// An operator wants a new link at once, in place of the one there is, if any. Returns whether
    /// a try is due: not if one is under way, nor while it is paused.
    bool on_restart();
    void on_stop();

    [[nodiscard]] LinkState state() const noexcept { return state_; }
    /// When to call `on_time`; the end of time when there is nothing to wait for.
    [[nodiscard]] TimePoint wake_at() const noexcept { return wake_at_; }
    [[nodiscard]] std::optional<TimePoint> next_attempt_at() const noexcept;
    [[nodiscard]] std::optional<TimePoint> ready_since() const noexcept;
    [[nodiscard]] std::uint32_t failures_in_row() const noexcept { return failures_in_row_; }
    /// Since the last link that became ready.
    [[nodiscard]] std::uint32_t failed_dials() const noexcept { return failed_dials_; }
    /// Whether the connection was lost or a dial failed, and none has succeeded since. Not so
    /// during the very first dial, nor while an operator's restart or a new session is being set
    /// up.
    [[nodiscard]] bool is_down() const noexcept { return is_down_; }
    [[nodiscard]] std::uint64_t connects() const noexcept { return connects_; }

private:
    void fail(TimePoint now, Duration at_least);
    void forget_failures() noexcept;
    [[nodiscard]] bool has_proved_itself(TimePoint now, bool has_answered) const;
    void enter(LinkState state, TimePoint wake_at = TimePoint::max());

    const resilience::Backoff backoff_;
    const Duration sustained_uptime_;
    const Duration max_retry_after_;
    const bool waits_for_peer_;
    std::mt19937_64 random_;
    LinkState state_ = LinkState::idle;
    bool is_available_ = false;  // said so while another try or link was in the way
    TimePoint wake_at_ = TimePoint::max();
    TimePoint ready_since_ = {};
    Duration previous_delay_ = Duration::zero();
    std::uint32_t failures_in_row_ = 0;
    std::uint32_t failed_dials_ = 0;
    bool is_down_ = false;
    std::uint64_t connects_ = 0;
};

}  // namespace holdfast::downstream
