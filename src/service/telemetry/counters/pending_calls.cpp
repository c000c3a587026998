#include "telemetry/counters/pending_calls.hpp"

#include <memory>
#include <utility>

namespace holdfast::telemetry {
namespace {

/// Identifies a thread, also among threads that have ended.
std::uint64_t thread_number() {
    static std::atomic<std::uint64_t> last{0};
    thread_local const std::uint64_t own = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return own;
}

}  // namespace

PendingCalls::~PendingCalls() {
    for (Queue* queue = first_.load(std::memory_order_acquire); queue != nullptr;) {
        const std::unique_ptr<Queue> last{queue};
        queue = last->next;
    }
}

PendingCalls::Queue* PendingCalls::own_queue() {
    const std::uint64_t own = thread_number();
    for (Queue* queue = first_.load(std::memory_order_acquire); queue != nullptr;
         queue = queue->next) {
        if (queue->owner == own) {
            return queue;
        }
    }
    if (queue_count_.fetch_add(1, std::memory_order_relaxed) >= kMaxQueues) {
        queue_count_.fetch_sub(1, std::memory_order_relaxed);
        return nullptr;
    }
    auto queue = std::make_unique<Queue>(own);
    queue->next = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(queue->next, queue.get(), std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
    return queue.release();
}

bool PendingCalls::try_put(record::KeptCall& call) {
    Queue* const queue = own_queue();
    if (queue == nullptr) {
        return false;
    }
    const std::size_t put = queue->put.load(std::memory_order_relaxed);
    if (put - queue->taken.load(std::memory_order_acquire) == kQueueSlots) {
        return false;
    }
    queue->slots[put % kQueueSlots] = std::move(call);
    queue->put.store(put + 1, std::memory_order_release);
    return true;
}

std::vector<record::KeptCall> PendingCalls::take_all() {
    std::vector<record::KeptCall> calls;
    const std::scoped_lock lock{taking_};
    for (Queue* queue = first_.load(std::memory_order_acquire); queue != nullptr;
         queue = queue->next) {
        const std::size_t end = queue->put.load(std::memory_order_acquire);
        std::size_t taken = queue->taken.load(std::memory_order_relaxed);
        calls.reserve(calls.size() + (end - taken));
        for (; taken != end; ++taken) {
            calls.push_back(std::move(queue->slots[taken % kQueueSlots]));
        }
        queue->taken.store(end, std::memory_order_release);
    }
    return calls;
}

}  // namespace holdfast::telemetry
