#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/http/client/client_connection.hpp"
#include "net/http/server/connection_slots.hpp"
#include "net/http_client.hpp"
#include "net/tls/tls_client.hpp"

namespace holdfast::net {

/// The number of idle connections of a client, over all loops.
///
/// Thread-safety: all from any thread.
class IdleCount final {
public:
    explicit IdleCount(std::size_t limit) noexcept : limit_(limit) {}

    [[nodiscard]] bool try_enter() noexcept {
        std::size_t count = count_.load(std::memory_order_relaxed);
        while (count < limit_) {
            if (count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    void leave() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

private:
    const std::size_t limit_;
    // Guards nothing else, so no memory order is needed.
    std::atomic<std::size_t> count_ = 0;
};

/// What all pools of a client share.
struct ClientOrigin {
    const HttpUrl url;
    const std::string authority;
    const HttpClientOptions options;
    const TlsContext tls;  // empty for plain connections
    const std::shared_ptr<ConnectionSlots> slots;
    const std::shared_ptr<IdleCount> idle;
};

/// The idle connections of a client on one loop. The most recently used one is taken first, so that
/// connections that are not needed become old and are closed.
///
/// Thread-safety: none; belongs to its loop.
class ClientPool final : public std::enable_shared_from_this<ClientPool>,
                         private IdleOwner,
                         private resilience::Timer {
public:
    ClientPool(OwningLoop loop, std::shared_ptr<const ClientOrigin> origin);
    ~ClientPool() override;

    /// Returns why a request cannot be sent, or nothing.
    [[nodiscard]] std::optional<NetError> fault_in(const HttpClientRequest& request);
    /// Returns null if none is idle.
    [[nodiscard]] std::shared_ptr<ClientConnection> take_idle();
    /// Takes back a connection whose exchange has ended: it is passed to the next waiter, kept
    /// idle, or closed.
    void put(std::shared_ptr<ClientConnection> connection);
    /// Opens a connection as soon as there is a slot, or takes one that becomes free. Calls
    /// `on_full` if it has to wait: other loops may have idle connections.
    [[nodiscard]] boost::asio::awaitable<NetResult<std::shared_ptr<ClientConnection>>> open(
        resilience::Deadline deadline, std::function<void()> on_full);

    /// Closes an idle connection if a request waits for a slot.
    void yield_one();
    /// Closes idle connections, and from now on also those that are returned.
    void shut();

    [[nodiscard]] const OwningLoop& loop() const noexcept { return loop_; }
    [[nodiscard]] const ClientOrigin& origin() const noexcept { return *origin_; }
    [[nodiscard]] const std::shared_ptr<SpareBuffers>& spare() const noexcept { return spare_; }

private:
    void on_idle_end(ClientConnection& connection) override;
    void on_time() override;
    void watch_oldest();
    [[nodiscard]] std::shared_ptr<ClientConnection> taken_out(std::size_t index);

    const OwningLoop loop_;
    const std::shared_ptr<const ClientOrigin> origin_;
    // Shared with the connections.
    const std::shared_ptr<SpareBuffers> spare_ =
        std::make_shared<SpareBuffers>(ClientConnection::kBufferBytes);
    std::vector<std::shared_ptr<ClientConnection>> idle_;  // the oldest first
    // of the last valid request; the next one often has the same headers
    std::string sound_headers_;
    bool is_shut_ = false;
};

}  // namespace holdfast::net
