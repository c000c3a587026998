#pragma once

#include <chrono>
#include <cstdint>

#include "downstream/link_opener.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

struct StartPatienceOptions {
    resilience::Duration timeout = std::chrono::minutes{5};
    /// After `timeout` a program continues while its last progress is not older than this.
    resilience::Duration progress_window = std::chrono::seconds{30};
    std::uint32_t max_timeouts = 4;  ///< The longest start, as a multiple of `timeout`.
    /// A first start gives up its slot after this time without progress.
    resilience::Duration slot_window = std::chrono::seconds{10};
    /// Less processor time than this is idling.
    resilience::Duration cpu_step = std::chrono::milliseconds{50};
};

/// Decides how long a program may take to start. A first start may install the program, which takes
/// as long as the network needs: what still works is not interrupted.
///
/// Thread-safety: none.
class StartPatience final {
public:
    StartPatience(const StartPatienceOptions& options, resilience::TimePoint started_at);

    /// Returns whether the program has made progress since the last time that it did.
    bool on_activity(resilience::TimePoint now, const ProcessActivity& seen);

    [[nodiscard]] resilience::TimePoint started_at() const noexcept { return started_at_; }
    [[nodiscard]] resilience::Duration timeout() const noexcept { return options_.timeout; }
    [[nodiscard]] resilience::TimePoint last_progress_at() const noexcept {
        return last_progress_at_;
    }
    /// When the start has failed, unless there is progress before.
    [[nodiscard]] resilience::TimePoint ends_at() const;
    /// When a first start gives up its slot, unless there is progress before.
    [[nodiscard]] resilience::TimePoint slot_ends_at() const;
    /// The time that the start may take in all.
    [[nodiscard]] resilience::Duration longest() const;

private:
    StartPatienceOptions options_;
    resilience::TimePoint started_at_;
    resilience::TimePoint last_progress_at_;
    ProcessActivity mark_ = {};  // at the last progress
    bool has_progress_ = false;
};

}  // namespace holdfast::downstream
