#include "downstream/starting/start_patience.hpp"

#include <algorithm>

namespace holdfast::downstream {

StartPatience::StartPatience(const StartPatienceOptions& options, resilience::TimePoint started_at)
    : options_(options), started_at_(started_at), last_progress_at_(started_at) {}

bool StartPatience::on_activity(resilience::TimePoint now, const ProcessActivity& seen) {
    // A process that leaves the tree takes its time along; a program that was started again has a
    // new log.
    mark_.cpu = std::min(mark_.cpu, seen.cpu);
    mark_.log_bytes = std::min(mark_.log_bytes, seen.log_bytes);
    if (seen.log_bytes <= mark_.log_bytes && seen.cpu - mark_.cpu < options_.cpu_step) {
        return false;
    }
    mark_ = seen;
    has_progress_ = true;
    last_progress_at_ = now;
    return true;
}

resilience::TimePoint StartPatience::ends_at() const {
    const auto timeout_at = resilience::saturating_add(started_at_, options_.timeout);
    if (!has_progress_) {
        return timeout_at;
    }
    const auto continues_until =
        std::min(resilience::saturating_add(last_progress_at_, options_.progress_window),
                 resilience::saturating_add(started_at_, longest()));
    return std::max(timeout_at, continues_until);
}

resilience::TimePoint StartPatience::slot_ends_at() const {
    return resilience::saturating_add(last_progress_at_, options_.slot_window);
}

resilience::Duration StartPatience::longest() const {
    const auto factor = static_cast<resilience::Duration::rep>(options_.max_timeouts);
    return options_.timeout > resilience::Duration::max() / factor ? resilience::Duration::max()
                                                                   : options_.timeout * factor;
}

}  // namespace holdfast::downstream
