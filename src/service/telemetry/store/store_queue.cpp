#include "telemetry/store/store_queue.hpp"

#include <iterator>
#include <utility>

namespace holdfast::telemetry {

std::size_t size_bytes_of(const StoredItem& item) {
    if (item.event) {
        const record::Event& event = *item.event;
        return sizeof(record::Event) + event.server.size() + event.subject.size() +
               event.reason.size() + event.call_id.size();
    }
    return size_bytes_of(*item.call);
}

bool StoreQueue::try_put(StoredItem item) {
    const std::size_t size = size_bytes_of(item);
    const std::size_t count = count_.fetch_add(1, kRelaxed);
    const std::size_t bytes = bytes_.fetch_add(size, kRelaxed);
    if (count >= max_items_ || bytes + size > max_bytes_) {
        count_.fetch_sub(1, kRelaxed);
        bytes_.fetch_sub(size, kRelaxed);
        dropped_.fetch_add(1, kRelaxed);
        return false;
    }
    parts_.with_own([&item](auto& items) { items.push_back(std::move(item)); });
    return true;
}

void StoreQueue::take_into(std::vector<StoredItem>& items) {
    parts_.with_each([&items](auto& part) {
        std::move(part.begin(), part.end(), std::back_inserter(items));
        part.clear();  // Keeps its capacity, so that the next items need no allocation.
    });
}

void StoreQueue::release(const std::vector<StoredItem>& items) {
    std::size_t bytes = 0;
    for (const StoredItem& item : items) {
        bytes += size_bytes_of(item);
    }
    count_.fetch_sub(items.size(), kRelaxed);
    bytes_.fetch_sub(bytes, kRelaxed);
}

}  // namespace holdfast::telemetry
