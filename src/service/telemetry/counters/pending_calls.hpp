#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "record/call_record.hpp"

namespace holdfast::telemetry {

/// Calls that have ended but are not counted yet. Each producing thread has its own queue with a
/// fixed number of slots, so that adding a call takes no lock. The consumers take the calls of all
/// queues together.
///
/// A queue has one writer, its thread, and one reader at a time, who holds the lock. The writer
/// publishes a slot by raising `put` with release order, and the reader returns it by raising
/// `taken` the same way; each reads the other's number with acquire order before it touches a slot.
/// Queues are a list that only grows; a new one is published with release order.
///
/// Thread-safety: from any thread.
class PendingCalls final {
public:
    static constexpr std::size_t kQueueSlots = 64;
    /// The limit for threads with a queue. Only event loops add calls, and there are fewer of them.
    static constexpr std::size_t kMaxQueues = 128;

    PendingCalls() = default;
    PendingCalls(const PendingCalls&) = delete;
    PendingCalls& operator=(const PendingCalls&) = delete;
    ~PendingCalls();

    /// Returns false and adds nothing if this thread's queue is full or there are too many queues.
    [[nodiscard]] bool try_put(record::KeptCall& call);
    /// Removes and returns all calls put before, in the order of each thread.
    [[nodiscard]] std::vector<record::KeptCall> take_all();

private:
    static constexpr std::size_t kCacheLineBytes = 64;

    struct Queue {
        explicit Queue(std::uint64_t thread) : owner(thread) {}

        const std::uint64_t owner;
        Queue* next = nullptr;
        std::array<record::KeptCall, kQueueSlots> slots = {};
        alignas(kCacheLineBytes) std::atomic<std::size_t> put = 0;    // written by the owner
        alignas(kCacheLineBytes) std::atomic<std::size_t> taken = 0;  // written under the lock
    };

    /// Returns null if there are too many queues.
    [[nodiscard]] Queue* own_queue();

    std::atomic<Queue*> first_ = nullptr;
    std::atomic<std::size_t> queue_count_ = 0;
    std::mutex taking_;
};

}  // namespace holdfast::telemetry
