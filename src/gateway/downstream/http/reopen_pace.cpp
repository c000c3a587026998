#include "downstream/http/reopen_pace.hpp"

#include <algorithm>

namespace holdfast::downstream {

resilience::Duration ReopenPace::wait_after(const EndedStream& stream) {
    const bool is_early = stream.age < backoff_.options().cap;
    early_ends_ = is_early ? early_ends_ + 1 : 1;
    failures_ = stream.has_heard || !is_early ? 1 : failures_ + 1;
    if (failures_ == 1 && stream.retry) {
        return requested_by(stream);
    }
    const resilience::Duration requested = stream.retry.value_or(std::chrono::milliseconds{0});
    return std::max(requested, backoff_.computed(failures_));
}

resilience::Duration ReopenPace::requested_by(const EndedStream& stream) const {
    resilience::BackoffOptions options = backoff_.options();
    options.cap = std::max(options.base, kMinReopenWait);
    options.base = kMinReopenWait;
    return std::max<resilience::Duration>(*stream.retry,
                                          resilience::Backoff{options}.computed(early_ends_));
}

}  // namespace holdfast::downstream
