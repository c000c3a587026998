#include "net/http/client/client_pool.hpp"

#include <algorithm>
#include <utility>

#include "net/http/client/http_request_text.hpp"
#include "net/reactor/tcp_dial.hpp"
#include "net/reactor/unix_socket.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using Opened = NetResult<std::shared_ptr<ClientConnection>>;

constexpr std::size_t kKeptHeaderBytes = std::size_t{4} * 1024;

// Waits in the queue for a slot. Returns what it was granted and did not use, also when the
// coroutine around it is destroyed.
class Turn final {
public:
    explicit Turn(std::shared_ptr<ClientPool> pool)
        : pool_(std::move(pool)), waiter_(std::make_shared<SlotRequest>(pool_->loop())) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    // NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
    ~Turn() {
        if (entry_ == ConnectionSlots::Entry::refused ||
            (entry_ == ConnectionSlots::Entry::waiting && slots().leave(*waiter_))) {
            return;
        }
        if (waiter_->connection) {
            pool_->put(std::move(waiter_->connection));
        } else {
            slots().give_back();
        }
    }

    [[nodiscard]] ConnectionSlots::Entry enter() { return entry_ = slots().enter(waiter_); }
    [[nodiscard]] asio::awaitable<resilience::WakeReason> wait_until(resilience::TimePoint when) {
        return waiter_->granted.wait_until(when);
    }
    /// Requires that a slot was granted.
    [[nodiscard]] std::shared_ptr<ClientConnection> take_connection() {
        if (waiter_->connection) {
            entry_ = ConnectionSlots::Entry::refused;
        }
        return std::move(waiter_->connection);
    }
    [[nodiscard]] ConnectionSlot take_slot() {
        entry_ = ConnectionSlots::Entry::refused;
        return ConnectionSlot{pool_->origin().slots};
    }

private:
    [[nodiscard]] ConnectionSlots& slots() const { return *pool_->origin().slots; }

    const std::shared_ptr<ClientPool> pool_;
    const std::shared_ptr<SlotRequest> waiter_;
    ConnectionSlots::Entry entry_ = ConnectionSlots::Entry::refused;
};

NetError no_slot(NetErrc code, const ClientOrigin& origin) {
    const std::string limit = std::to_string(origin.options.max_connections);
    std::string message = "all " + limit + " connections to " + origin.authority + " are in use";
    if (code == NetErrc::overloaded) {
        message += ", and too many requests wait for one";
    } else if (code == NetErrc::cancelled) {
        message = "the request was cancelled while it waited for a connection";
    }
    return {.code = code, .message = std::move(message)};
}

asio::awaitable<Opened> connected(std::shared_ptr<ClientPool> pool, ConnectionSlot slot,
                                  resilience::Deadline deadline) {
    const ClientOrigin& origin = pool->origin();
    deadline = deadline.tightened(pool->loop().timekeeper->now(), origin.options.connect_wait);
    const std::string& path = origin.options.socket_path;
    auto socket = path.empty()
                      ? co_await dial_tcp(pool->loop(), origin.url.host, origin.url.port, deadline)
                      : dial_unix(pool->loop(), path);
    if (!socket) {
        co_return std::move(socket).error();
    }
    auto connection = std::make_shared<ClientConnection>(pool->loop(), *std::move(socket),
                                                         std::move(slot), pool->spare());
    if (origin.tls) {
        auto secured = co_await connection->secure(origin.tls, origin.url.host, deadline);
        if (!secured) {
            co_return secured.error();
        }
    }
    co_return connection;
}

asio::awaitable<Opened> opened_in_turn(std::shared_ptr<ClientPool> pool,
                                       resilience::Deadline deadline,
                                       std::function<void()> on_full) {
    ConnectionSlot slot;
    {
        Turn turn{pool};
        const auto entry = turn.enter();
        if (entry == ConnectionSlots::Entry::refused) {
            co_return no_slot(NetErrc::overloaded, pool->origin());
        }
        if (entry == ConnectionSlots::Entry::waiting) {
            on_full();
            const auto reason = co_await turn.wait_until(deadline.when());
            if (reason != resilience::WakeReason::signalled) {
                co_return no_slot(reason == resilience::WakeReason::time ? NetErrc::timed_out
                                                                         : NetErrc::cancelled,
                                  pool->origin());
            }
        }
        if (auto connection = turn.take_connection()) {
            co_return connection;
        }
        slot = turn.take_slot();
    }
    co_return co_await connected(std::move(pool), std::move(slot), deadline);
}

}  // namespace

ClientPool::ClientPool(OwningLoop loop, std::shared_ptr<const ClientOrigin> origin)
    : loop_(std::move(loop)), origin_(std::move(origin)) {}

ClientPool::~ClientPool() {
    shut();
}

std::optional<NetError> ClientPool::fault_in(const HttpClientRequest& request) {
    if (auto fault = fault_in_request_line(request)) {
        return fault;
    }
    if (request.headers == sound_headers_) {
        return std::nullopt;
    }
    auto fault = fault_in_header_lines(request.headers);
    if (!fault && request.headers.size() <= kKeptHeaderBytes) {
        sound_headers_ = request.headers;
    }
    return fault;
}

std::shared_ptr<ClientConnection> ClientPool::take_idle() {
    if (idle_.empty()) {
        return nullptr;
    }
    auto connection = taken_out(idle_.size() - 1);
    connection->stop_idling();
    return connection;
}

void ClientPool::put(std::shared_ptr<ClientConnection> connection) {
    if (is_shut_ || !connection->is_clean()) {
        connection->close();
        return;
    }
    if (origin_->slots->has_waiters()) {
        auto claim = origin_->slots->claim_for(loop_);
        if (claim.is_to_be_closed) {
            connection->close();
            return;
        }
        if (claim.waiter) {
            claim.waiter->connection = std::move(connection);
            claim.waiter->granted.signal();
            return;
        }
    }
    if (idle_.size() >= origin_->options.max_idle_per_loop || !origin_->idle->try_enter()) {
        connection->close();
        return;
    }
    connection->start_idling(*this, loop_.timekeeper->now());
    idle_.push_back(std::move(connection));
    if (!is_scheduled()) {
        watch_oldest();
    }
}

asio::awaitable<Opened> ClientPool::open(resilience::Deadline deadline,
                                         std::function<void()> on_full) {
    return opened_in_turn(shared_from_this(), deadline, std::move(on_full));
}

void ClientPool::yield_one() {
    if (!idle_.empty() && origin_->slots->has_waiters()) {
        taken_out(0)->close();
    }
}

void ClientPool::shut() {
    is_shut_ = true;
    if (is_scheduled()) {
        loop_.timekeeper->cancel(*this);
    }
    while (!idle_.empty()) {
        taken_out(idle_.size() - 1)->close();
    }
}

void ClientPool::on_idle_end(ClientConnection& connection) {
    const auto position =
        std::ranges::find(idle_, &connection, [](const auto& each) { return each.get(); });
    taken_out(static_cast<std::size_t>(position - idle_.begin()))->close();
}

std::shared_ptr<ClientConnection> ClientPool::taken_out(std::size_t index) {
    const auto position = idle_.begin() + static_cast<std::ptrdiff_t>(index);
    auto connection = std::move(*position);
    idle_.erase(position);
    origin_->idle->leave();
    return connection;
}

// One timer for all connections: taking a connection does not move it, and it checks again when it
// fires.
void ClientPool::watch_oldest() {
    loop_.timekeeper->schedule(
        *this, resilience::saturating_add(idle_.front()->idle_since(), origin_->options.idle_wait));
}

void ClientPool::on_time() {
    const resilience::TimePoint now = loop_.timekeeper->now();
    while (!idle_.empty() && resilience::elapsed_between(idle_.front()->idle_since(), now) >=
                                 origin_->options.idle_wait) {
        taken_out(0)->close();
    }
    if (!idle_.empty()) {
        watch_oldest();
    }
}

}  // namespace holdfast::net
