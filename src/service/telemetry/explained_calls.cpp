#include "telemetry/explained_calls.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::telemetry {
namespace {

/// The size of a typical record, including its reference count.
constexpr std::size_t kRecordBytes = 512;
constexpr std::size_t kCacheLineBytes = 64;

/// Prefetches the record that is dropped next. It has not been touched for ten thousand calls, and
/// loading it from memory would take as long as a good part of a call.
void fetch_early(const record::CallRecord* record) noexcept {
    const auto* const bytes = reinterpret_cast<const char*>(record);
    for (std::size_t offset = 0; offset < kRecordBytes; offset += kCacheLineBytes) {
        __builtin_prefetch(bytes + offset, 1);
    }
}

}  // namespace

bool CallFilter::takes(const record::CallRecord& record) const {
    return (!only_failed || record.is_failure()) && (server.empty() || record.server == server) &&
           (tool.empty() || record.tool == tool);
}

ExplainedCalls::ExplainedCalls(const ExplainedCallsOptions& options)
    : max_in_part_((options.max_calls + Striped<Ring>::kPartCount - 1) /
                   Striped<Ring>::kPartCount) {}

void ExplainedCalls::add(Call call) {
    HOLDFAST_EXPECT(call != nullptr);
    if (max_in_part_ == 0) {
        return;
    }
    const std::size_t id_hash = std::hash<std::string_view>{}(call->id);
    Slot slot{.id_hash = id_hash, .call = std::move(call)};
    rings_.with_nth(id_hash, [&](Ring& ring) {
        if (ring.slots.size() < max_in_part_) {
            ring.slots.push_back(std::move(slot));
            return;
        }
        // The dropped call leaves through `slot` and is freed without the lock.
        std::swap(ring.slots[ring.next], slot);
        ring.next = (ring.next + 1) % max_in_part_;
        fetch_early(ring.slots[ring.next].call.get());
    });
}

ExplainedCalls::Call ExplainedCalls::find(std::string_view id) const {
    const std::size_t id_hash = std::hash<std::string_view>{}(id);
    return rings_.with_nth(id_hash, [&](const Ring& ring) {
        const auto found = std::ranges::find_if(ring.slots, [&](const Slot& slot) {
            return slot.id_hash == id_hash && slot.call->id == id;
        });
        return found == ring.slots.end() ? nullptr : found->call;
    });
}

std::vector<ExplainedCalls::Call> ExplainedCalls::latest(std::size_t limit,
                                                         const CallFilter& filter) const {
    std::vector<Call> calls;
    rings_.with_each([&calls](const Ring& ring) {
        for (const Slot& slot : ring.slots) {
            calls.push_back(slot.call);
        }
    });
    std::erase_if(calls, [&filter](const Call& call) { return !filter.takes(*call); });
    const std::size_t count = std::min(limit, calls.size());
    const auto end = calls.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::partial_sort(calls, end, [](const Call& one, const Call& other) {
        return one->at_ms != other->at_ms ? one->at_ms > other->at_ms : one->id > other->id;
    });
    calls.resize(count);
    return calls;
}

}  // namespace holdfast::telemetry
