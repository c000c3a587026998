#include "net/http_client.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"
#include "net/http/client/client_exchange.hpp"
#include "net/http/client/client_pool.hpp"
#include "net/http/client/client_response.hpp"
#include "net/per_loop.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using Answer = HttpClientAnswer;

// The pools of a client, one for each loop that has sent something. Shared with requests in flight,
// which may outlive the client.
class Pools final {
public:
    explicit Pools(std::shared_ptr<const ClientOrigin> origin) : origin_(std::move(origin)) {}

    [[nodiscard]] const ClientOrigin& origin() const { return *origin_; }

    /// Must be called on the loop.
    [[nodiscard]] std::shared_ptr<ClientPool> of(const OwningLoop& loop) {
        std::weak_ptr<ClientPool>& known = known_.of(loop);
        if (auto pool = known.lock()) {
            return pool;
        }
        auto pool = std::make_shared<ClientPool>(loop, origin_);
        pools_.with([&](List& pools) { pools.push_back(pool); });
        known = pool;
        return pool;
    }

    /// A request on that loop waits for a connection: closes idle connections on other loops.
    void ask_others_to_yield(const OwningLoop& loop) {
        for (auto& pool : pools_.with([](List& pools) { return pools; })) {
            if (pool->loop().timekeeper != loop.timekeeper) {
                const auto executor = pool->loop().executor;
                asio::post(executor, [pool = std::move(pool)] { pool->yield_one(); });
            }
        }
    }

    void shut() {
        for (auto& pool : pools_.with([](List& pools) { return std::exchange(pools, {}); })) {
            const auto executor = pool->loop().executor;
            asio::post(executor, [pool = std::move(pool)] { pool->shut(); });
        }
    }

private:
    using List = std::vector<std::shared_ptr<ClientPool>>;

    const std::shared_ptr<const ClientOrigin> origin_;
    resilience::Synchronized<List> pools_;
    // Each of them also where its loop finds it without the lock.
    PerLoop<std::weak_ptr<ClientPool>> known_;
};

HttpClientError not_sent(NetError error) {
    return {.error = std::move(error), .may_have_arrived = false};
}

using Connection = std::shared_ptr<ClientConnection>;

/// Sends the request on a new connection, or on one that another request has returned.
asio::awaitable<resilience::Result<Connection, HttpClientError>> sent_on_new_connection(
    std::shared_ptr<Pools> pools, OwningLoop loop, HttpClientRequest request,
    resilience::Deadline deadline) {
    auto opened = co_await pools->of(loop)->open(
        deadline, [pools, loop] { pools->ask_others_to_yield(loop); });
    if (!opened) {
        co_return not_sent(std::move(opened).error());
    }
    (*opened)->start_request(std::move(request), pools->origin().authority);
    co_return *std::move(opened);
}

asio::awaitable<Answer> refused(NetError error) {
    co_return not_sent(std::move(error));
}

asio::awaitable<Answer> sent_and_answered(std::shared_ptr<Pools> pools, OwningLoop loop,
                                          HttpClientRequest request,
                                          resilience::Deadline deadline) {
    // A cancelled coroutine returns an error instead of throwing.
    const bool threw_if_cancelled = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto connection = co_await sent_on_new_connection(pools, loop, std::move(request), deadline);
    co_await asio::this_coro::throw_if_cancelled(threw_if_cancelled);
    if (!connection) {
        co_return std::move(connection).error();
    }
    co_return co_await ClientResponse::answered(
        std::make_unique<ClientResponse>(pools->of(loop), *std::move(connection), false), deadline);
}

// Not a coroutine: most requests need no wait here, and then no frame either.
asio::awaitable<Answer> checked_and_sent(const std::shared_ptr<Pools>& pools, OwningLoop loop,
                                         HttpClientRequest request, resilience::Deadline deadline) {
    if (request.target.empty()) {
        request.target = pools->origin().url.target;
    }
    auto pool = pools->of(loop);
    if (auto fault = pool->fault_in(request)) {
        return refused(*std::move(fault));
    }
    if (deadline.is_expired(loop.timekeeper->now())) {
        return refused({.code = NetErrc::timed_out, .message = "the deadline has passed"});
    }
    if (Connection connection = pool->take_idle()) {
        connection->start_request(std::move(request), pools->origin().authority);
        return ClientResponse::answered(
            std::make_unique<ClientResponse>(std::move(pool), std::move(connection), true),
            deadline);
    }
    return sent_and_answered(pools, std::move(loop), std::move(request), deadline);
}

class PooledHttpClient final : public HttpClient {
public:
    explicit PooledHttpClient(std::shared_ptr<const ClientOrigin> origin)
        : pools_(std::make_shared<Pools>(std::move(origin))) {}
    PooledHttpClient(const PooledHttpClient&) = delete;
    PooledHttpClient& operator=(const PooledHttpClient&) = delete;
    // NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
    ~PooledHttpClient() override { pools_->shut(); }

    asio::awaitable<Answer> send(OwningLoop loop, HttpClientRequest request,
                                 resilience::Deadline deadline) override {
        return checked_and_sent(pools_, std::move(loop), std::move(request), deadline);
    }

    HttpExchangeInFlight* try_start(const OwningLoop& loop, HttpClientRequest& request,
                                    const std::shared_ptr<HttpAnswerListener>& listener) override {
        if (pools_->origin().tls) {
            return nullptr;  // Its stream has no way to say that the loop ends.
        }
        if (request.target.empty()) {
            request.target = pools_->origin().url.target;
        }
        auto pool = pools_->of(loop);
        if (pool->fault_in(request)) {
            return nullptr;
        }
        Connection connection = pool->take_idle();
        if (!connection) {
            return nullptr;
        }
        connection->start_request(std::move(request), pools_->origin().authority);
        const auto exchange = std::make_shared<ClientExchange>(
            std::make_unique<ClientResponse>(std::move(pool), std::move(connection), true),
            listener);
        exchange->start();
        return exchange.get();
    }

private:
    const std::shared_ptr<Pools> pools_;
};

}  // namespace

NetResult<std::shared_ptr<HttpClient>> make_http_client(const HttpUrl& origin,
                                                        const HttpClientOptions& options) {
    TlsContext tls;
    if (origin.has_tls) {
        auto made = make_tls_context(options.certificate_file);
        if (!made) {
            return std::move(made).error();
        }
        tls = *std::move(made);
    }
    const ConnectionSlots::Limits limits{.open = options.max_connections,
                                         .waiting = options.max_waiting};
    return std::shared_ptr<HttpClient>{
        std::make_shared<PooledHttpClient>(std::make_shared<const ClientOrigin>(
            ClientOrigin{.url = origin,
                         .authority = origin.authority(),
                         .options = options,
                         .tls = std::move(tls),
                         .slots = std::make_shared<ConnectionSlots>(limits),
                         .idle = std::make_shared<IdleCount>(options.max_idle)}))};
}

}  // namespace holdfast::net
