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

/// The right to one open connection. Gives itself back when it is destroyed.
///
/// Thread-safety: none; may be moved to another loop.
class ConnectionPlace final {
public:
    ConnectionPlace() = default;
    explicit ConnectionPlace(std::shared_ptr<ConnectionSlots> places)
        : places_(std::move(places)) {}
    ConnectionPlace(ConnectionPlace&&) noexcept = default;
    ConnectionPlace& operator=(ConnectionPlace&& other) noexcept;
    // NOLINTNEXTLINE(bugprone-exception-escape): only for want of memory, which ends the process.
    ~ConnectionPlace() { give_back(); }

    void give_back();

private:
    std::shared_ptr<ConnectionSlots> places_;
};

/// A request that waits for a connection. It gets either a connection that has become free on its
/// loop, or a place to open one.
struct SlotRequest {
    explicit SlotRequest(OwningLoop owner) : loop(std::move(owner)), granted(*loop.timekeeper) {}

    const OwningLoop loop;
    resilience::OneShot granted;                   // owned by the loop
    std::shared_ptr<ClientConnection> connection;  // owned by the loop
    bool is_waiting = false;                       // guarded by the lock of the places
    std::size_t times_passed_over = 0;             // guarded by the lock of the places
};

/// The connections that a client may have open over all its loops, and who waits for one of them,
/// in order. A connection cannot change its loop. So one that becomes free goes to the first who
/// waits on that loop, past those on other loops; but each of them is passed over only a few times
/// before the connection is closed in favour of a new one on the other loop.
///
/// Thread-safety: all from any thread.
class ConnectionSlots final : public std::enable_shared_from_this<ConnectionSlots> {
public:
    struct Limits {
        std::size_t open = 0;
        std::size_t waiting = 0;
    };
    enum class Entry { granted, waiting, refused };
    /// What is to become of a free connection; `waiter` is set if it is to be handed over.
    struct Claim {
        bool is_to_be_closed = false;
        std::shared_ptr<SlotRequest> waiter = {};
    };

    explicit ConnectionSlots(Limits limits) : limits_(limits) {}

    /// A place at once, or in turn. A place that was granted later is a signal at the waiter.
    [[nodiscard]] Entry enter(const std::shared_ptr<SlotRequest>& waiter);
    /// False if it has been granted something already, which the caller has to give back.
    [[nodiscard]] bool leave(const SlotRequest& waiter);
    /// Requires a place.
    void give_back();
    /// A connection has become free on that loop.
    [[nodiscard]] Claim claim_for(const OwningLoop& loop);

    /// May be out of date at once: who begins to wait also asks the pools for what is idle.
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
    // The size of the queue, for a look without the lock.
    std::atomic<std::size_t> waiting_count_ = 0;
};

}  // namespace holdfast::net
