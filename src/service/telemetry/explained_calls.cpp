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

/// Prefetches a record that is freed next. It has not been touched for ten thousand calls, and
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

void ExplainedCalls::add(std::span<const Call> calls) {
    if (options_.max_calls == 0) {
        return;
    }
    std::vector<Call> evicted;  // freed without the lock
    evicted.reserve(calls.size());
    ring_.with([&](Ring& ring) {
        for (const Call& call : calls) {
            HOLDFAST_EXPECT(call != nullptr);
            Slot slot{.id_hash = std::hash<std::string_view>{}(call->id), .call = call};
            if (ring.slots.size() < options_.max_calls) {
                ring.slots.push_back(std::move(slot));
                continue;
            }
            std::swap(ring.slots[ring.next], slot);
            ring.next = (ring.next + 1) % options_.max_calls;
            fetch_early(slot.call.get());
            evicted.push_back(std::move(slot.call));
        }
    });
}

ExplainedCalls::Call ExplainedCalls::find(std::string_view id) const {
    const std::size_t id_hash = std::hash<std::string_view>{}(id);
    return ring_.with([&](const Ring& ring) {
        const auto found = std::ranges::find_if(ring.slots, [&](const Slot& slot) {
            return slot.id_hash == id_hash && slot.call->id == id;
        });
        return found == ring.slots.end() ? nullptr : found->call;
    });
}

std::vector<ExplainedCalls::Call> ExplainedCalls::latest(std::size_t limit,
                                                         const CallFilter& filter) const {
    std::vector<Call> calls;
    ring_.with([&calls](const Ring& ring) {
        calls.reserve(ring.slots.size());
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
