#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/loop.hpp"

namespace holdfast::net {

class ClientConnection;
class ConnectionSlots;

/// The right to one open connection. Returns itself when destroyed.
///
/// Thread-safety: none; may be moved to another loop.
class ConnectionSlot final {
public:
    ConnectionSlot() = default;
    explicit ConnectionSlot(std::shared_ptr<ConnectionSlots> slots) : slots_(std::move(slots)) {}
    ConnectionSlot(ConnectionSlot&&) noexcept = default;
    ConnectionSlot& operator=(ConnectionSlot&& other) noexcept;
    // NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
    ~ConnectionSlot() { give_back(); }

    void give_back();

private:
    std::shared_ptr<ConnectionSlots> slots_;
};

/// A request that waits for a connection. It gets either a connection that has become free on its
/// loop, or a slot to open one.
struct SlotRequest {
    explicit SlotRequest(OwningLoop owner) : loop(std::move(owner)), granted(*loop.timekeeper) {}

    const OwningLoop loop;
    resilience::OneShot granted;                   // owned by the loop
    std::shared_ptr<ClientConnection> connection;  // owned by the loop
    bool is_waiting = false;                       // guarded by the lock of the slots
    std::size_t times_passed_over = 0;             // guarded by the lock of the slots
};

/// The connections that a client may have open over all its loops, and the queue of requests that
/// wait for one. A connection cannot change its loop. So a connection that becomes free goes to the
/// first waiter on that loop, before earlier waiters on other loops. Each of them is passed over
/// only a few times before the connection is closed in favour of a new one on the other loop.
///
/// Thread-safety: all from any thread.
class ConnectionSlots final : public std::enable_shared_from_this<ConnectionSlots> {
public:
    struct Limits {
        std::size_t open = 0;
        std::size_t waiting = 0;
    };
    enum class Entry { granted, waiting, refused };
    /// What to do with a free connection; `waiter` is set if it gets the connection.
    struct Claim {
        bool is_to_be_closed = false;
        std::shared_ptr<SlotRequest> waiter = {};
    };

    explicit ConnectionSlots(Limits limits) : limits_(limits) {}

    /// Takes a slot immediately or queues the waiter, which is signalled when a slot is granted.
    [[nodiscard]] Entry enter(const std::shared_ptr<SlotRequest>& waiter);
    /// Returns false if something has already been granted, which the caller must return.
    [[nodiscard]] bool leave(const SlotRequest& waiter);
    /// Requires a slot.
    void give_back();
    /// Reports that a connection has become free on that loop.
    [[nodiscard]] Claim claim_for(const OwningLoop& loop);

    /// May be outdated immediately: a new waiter also asks the pools for idle connections.
    [[nodiscard]] bool has_waiters() const noexcept {
        return waiting_count_.load(std::memory_order_acquire) != 0;
    }
    [[nodiscard]] std::size_t open_count();

private:
    struct Table {
        std::size_t open_count = 0;
        std::deque<std::shared_ptr<SlotRequest>> waiters;
    };

    std::shared_ptr<SlotRequest> take_waiter(Table& table, std::size_t index);

    const Limits limits_;
    resilience::Synchronized<Table> table_;
    // The size of the queue, readable without the lock.
    std::atomic<std::size_t> waiting_count_ = 0;
};

}  // namespace holdfast::net
