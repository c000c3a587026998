#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "record/call_record.hpp"
#include "record/event.hpp"
#include "telemetry/counters/striped.hpp"

namespace holdfast::telemetry {

/// Exactly one of the two is set.
struct StoredItem {
    std::shared_ptr<const record::CallRecord> call = {};
    std::shared_ptr<const record::Event> event = {};
};

/// Returns the approximate memory size.
[[nodiscard]] std::size_t size_bytes_of(const StoredItem& item);

/// The items that wait to be written, limited in number and bytes. Taken items count until they are
/// released, so that the limit includes a writer that fails.
///
/// Thread-safety: from any thread.
class StoreQueue final {
public:
    StoreQueue(std::size_t max_items, std::size_t max_bytes)
        : max_items_(max_items), max_bytes_(max_bytes) {}

    /// Returns false if the queue is full; the dropped item is counted.
    bool try_put(StoredItem item);
    /// Appends all items to `items`.
    void take_into(std::vector<StoredItem>& items);
    void release(const std::vector<StoredItem>& items);

    [[nodiscard]] std::size_t count() const noexcept { return count_.load(kRelaxed); }
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(kRelaxed); }
    [[nodiscard]] bool is_half_full() const noexcept {
        return count_.load(kRelaxed) * 2 >= max_items_ || bytes_.load(kRelaxed) * 2 >= max_bytes_;
    }

private:
    // Relaxed: the numbers order nothing, and the items are protected by locks.
    static constexpr auto kRelaxed = std::memory_order_relaxed;

    const std::size_t max_items_;
    const std::size_t max_bytes_;
    std::atomic<std::size_t> count_ = 0;
    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<std::uint64_t> dropped_ = 0;
    Striped<std::vector<StoredItem>> parts_;
};

}  // namespace holdfast::telemetry
