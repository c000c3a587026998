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

/// How many connections of a client wait for their next request, over all loops.
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
    // Guards nothing but itself, so no order is needed.
    std::atomic<std::size_t> count_ = 0;
};

/// What all pools of a client have in common.
struct ClientOrigin {
    const HttpUrl url;
    const std::string authority;
    const HttpClientOptions options;
    const TlsContext tls;  // empty for plain connections
    const std::shared_ptr<ConnectionSlots> places;
    const std::shared_ptr<IdleCount> idle;
};

/// The connections of a client on one loop that wait for their next request. The one that was used
/// last is taken first, so that those which are not needed grow old and are closed.
///
/// Thread-safety: none; belongs to its loop.
class ClientPool final : public std::enable_shared_from_this<ClientPool>,
                         private IdleOwner,
                         private resilience::Timer {
public:
    ClientPool(OwningLoop loop, std::shared_ptr<const ClientOrigin> origin);
    ~ClientPool() override;

    /// What makes a request impossible to send.
    [[nodiscard]] std::optional<NetError> fault_in(const HttpClientRequest& request);
    /// None if none is idle.
    [[nodiscard]] std::shared_ptr<ClientConnection> take_idle();
    /// A connection whose exchange is over: for the next who waits, or to be idle, or to be closed.
    void put(std::shared_ptr<ClientConnection> connection);
    /// Opens one as soon as there is a place, or gets one that has become free. `on_full` is called
    /// if it has to wait: others may have idle ones.
    [[nodiscard]] boost::asio::awaitable<NetResult<std::shared_ptr<ClientConnection>>> open(
        resilience::Deadline deadline, std::function<void()> on_full);

    /// Closes one that is idle if somebody waits for a place.
    void yield_one();
    /// Closes what is idle, and from now on also what comes back.
    void shut();

    [[nodiscard]] const OwningLoop& loop() const noexcept { return loop_; }
    [[nodiscard]] const ClientOrigin& origin() const noexcept { return *origin_; }

private:
    void on_idle_end(ClientConnection& connection) override;
    void on_time() override;
    void watch_oldest();
    [[nodiscard]] std::shared_ptr<ClientConnection> taken_out(std::size_t index);

    const OwningLoop loop_;
    const std::shared_ptr<const ClientOrigin> origin_;
    std::vector<std::shared_ptr<ClientConnection>> idle_;  // the oldest first
    std::string sound_headers_;  // of the last request without a fault: the next has often the same
    bool is_shut_ = false;
};

}  // namespace holdfast::net
