#include "net/http_server.hpp"

#include <linux/filter.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <tuple>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/http/server/http_connection.hpp"
#include "net/reactor/unix_socket.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Without descriptors or memory, another accept would fail immediately.
constexpr auto kAcceptPause = std::chrono::milliseconds{100};
// Above the limit, up to this many connections get an answer at a time; the rest is only closed.
constexpr std::size_t kMaxRejected = 64;

NetResult<tcp::endpoint> endpoint_of(const HttpServerOptions& options) {
    std::string_view text = options.address;
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
    }
    boost::system::error_code error;
    const auto address = asio::ip::make_address(text, error);
    if (error) {
        return NetError{.code = NetErrc::invalid_request,
                        .message = "cannot listen on \"" + options.address +
                                   "\": it is not an IP address such as 127.0.0.1 or ::1"};
    }
    return tcp::endpoint{address, options.port};
}

NetError listen_error(const HttpServerOptions& options, const boost::system::error_code& error) {
    return system_error(
        NetErrc::system_failure,
        "cannot listen on " + options.address + " port " + std::to_string(options.port),
        error.value());
}

bool is_shortage(const boost::system::error_code& error) {
    return error == boost::system::errc::too_many_files_open ||
           error == boost::system::errc::too_many_files_open_in_system ||
           error == boost::system::errc::no_buffer_space ||
           error == boost::system::errc::not_enough_memory;
}

bool is_loopback(const asio::ip::address& address) {
    return address.is_loopback() ||
           (address.is_v6() && address.to_v6().is_v4_mapped() &&
            asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback());
}

/// Makes the system ignore clients that begin to connect: between the last accept and the end of
/// the socket it would let them in and then reset them. They try again, and are refused.
void ignore_new_clients(int listening_socket) {
    sock_filter ignore_all{.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = 0};
    const sock_fprog program{.len = 1, .filter = &ignore_all};
    // A Unix socket has no such moment, and elsewhere it is very short.
    std::ignore =
        ::setsockopt(listening_socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

void close_all(HttpLoop& loop) {
    loop.is_over = true;
    // Each connection removes itself from the set.
    while (!loop.connections.empty()) {
        (*loop.connections.begin())->close();
    }
}

void drain_all(HttpLoop& loop) {
    loop.is_draining = true;
    const std::vector<HttpConnection*> connections{loop.connections.begin(),
                                                   loop.connections.end()};
    for (HttpConnection* connection : connections) {
        connection->drain();
    }
}

}  // namespace

// The acceptor and the loops. The acceptor belongs to the first loop.
struct HttpServer::Hidden final : std::enable_shared_from_this<Hidden>, private resilience::Timer {
    explicit Hidden(const OwningLoop& first) : acceptor(first.executor), first_loop(first) {}
    ~Hidden() override { cancel_pause(); }

    [[nodiscard]] NetResult<void> open(const HttpServerOptions& options);
    [[nodiscard]] boost::system::error_code open_at(const tcp::endpoint& endpoint);
    void accept_next();
    /// Takes the connections that the system has already accepted, and then no more.
    void accept_last();
    void stop_accepting();
    void stop();

    tcp::acceptor acceptor;
    OwningLoop first_loop;
    std::shared_ptr<HttpServing> serving = std::make_shared<HttpServing>();
    std::vector<std::shared_ptr<HttpLoop>> loops;
    std::uint16_t port = 0;

private:
    void on_time() override { accept_next(); }
    void cancel_pause();
    void serve(tcp::socket socket, const std::shared_ptr<HttpLoop>& loop);
    void on_accepted(const boost::system::error_code& error, tcp::socket socket,
                     const std::shared_ptr<HttpLoop>& loop);
    [[nodiscard]] PeerShares::Counted counted_peer(const tcp::socket& socket) const;
    /// Returns by how many connections the largest excess over a limit is.
    [[nodiscard]] std::size_t excess_of(std::size_t count, std::size_t peer_count,
                                        int descriptor) const;

    std::size_t next_loop_ = 0;
};

NetResult<void> HttpServer::Hidden::open(const HttpServerOptions& options) {
    if (options.socket_path.empty()) {
        const auto endpoint = endpoint_of(options);
        if (!endpoint) {
            return endpoint.error();
        }
        const auto error = open_at(*endpoint);
        return error ? NetResult<void>{listen_error(options, error)} : NetResult<void>{};
    }
    auto socket = listening_unix_socket(options.socket_path);
    if (!socket) {
        return socket.error();
    }
    boost::system::error_code error;
    // Asio's type requires a protocol, which it does not use to accept.
    std::ignore = acceptor.assign(tcp::v4(), socket->get(), error);
    if (error) {
        return listen_error(options, error);
    }
    std::ignore = socket->release();  // the acceptor owns it
    return {};
}

boost::system::error_code HttpServer::Hidden::open_at(const tcp::endpoint& endpoint) {
    boost::system::error_code error;
    std::ignore = acceptor.open(endpoint.protocol(), error);
    if (!error) {
        std::ignore = acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    }
    if (!error) {
        std::ignore = acceptor.bind(endpoint, error);
    }
    if (!error) {
        std::ignore = acceptor.listen(tcp::acceptor::max_listen_connections, error);
    }
    if (!error) {
        port = acceptor.local_endpoint(error).port();
    }
    return error;
}

void HttpServer::Hidden::accept_next() {
    if (!acceptor.is_open()) {
        return;
    }
    const auto& loop = loops[next_loop_];
    next_loop_ = (next_loop_ + 1) % loops.size();
    acceptor.async_accept(loop->loop.executor,
                          [self = shared_from_this(), loop](const boost::system::error_code& error,
                                                            tcp::socket socket) {
                              self->on_accepted(error, std::move(socket), loop);
                          });
}

void HttpServer::Hidden::on_accepted(const boost::system::error_code& error, tcp::socket socket,
                                     const std::shared_ptr<HttpLoop>& loop) {
    if (is_shortage(error)) {
        const auto now = first_loop.timekeeper->now();
        first_loop.timekeeper->schedule(*this, resilience::saturating_add(now, kAcceptPause));
        return;
    }
    if (!error) {
        serve(std::move(socket), loop);
    }
    accept_next();
}

void HttpServer::Hidden::serve(tcp::socket socket, const std::shared_ptr<HttpLoop>& loop) {
    const std::size_t count = serving->connection_count.fetch_add(1, std::memory_order_relaxed) + 1;
    PeerShares::Counted counted = counted_peer(socket);
    const std::size_t excess = excess_of(count, counted.count, socket.native_handle());
    if (excess > kMaxRejected) {
        serving->connection_count.fetch_sub(1, std::memory_order_relaxed);
        return;
    }
    asio::post(loop->loop.executor,
               [loop, socket = std::move(socket), share = std::move(counted.share),
                is_over_limit = excess > 0]() mutable {
                   if (loop->is_over) {
                       return;
                   }
                   (is_over_limit ? HttpConnection::reject : HttpConnection::serve)(
                       loop, std::move(socket), std::move(share));
               });
}

// Closing the listening socket would reset them, with the requests that they may have sent.
void HttpServer::Hidden::accept_last() {
    boost::system::error_code error;
    if (acceptor.is_open()) {
        ignore_new_clients(acceptor.native_handle());
        std::ignore = acceptor.non_blocking(true, error);
    }
    while (acceptor.is_open() && !error) {
        const auto& loop = loops[next_loop_];
        next_loop_ = (next_loop_ + 1) % loops.size();
        tcp::socket socket{loop->loop.executor};
        std::ignore = acceptor.accept(socket, error);
        if (!error) {
            serve(std::move(socket), loop);
        }
    }
}

PeerShares::Counted HttpServer::Hidden::counted_peer(const tcp::socket& socket) const {
    if (!serving->options.socket_path.empty()) {
        return {};  // only this user can connect
    }
    boost::system::error_code error;
    const auto peer = socket.remote_endpoint(error);
    const bool is_counted =
        !error && (serving->options.counts_loopback || !is_loopback(peer.address()));
    return is_counted ? serving->peers->count(peer.address()) : PeerShares::Counted{};
}

std::size_t HttpServer::Hidden::excess_of(std::size_t count, std::size_t peer_count,
                                          int descriptor) const {
    const HttpServerOptions& options = serving->options;
    const std::size_t limit = options.max_connections;
    const std::size_t peer_limit = options.max_connections_per_peer != 0
                                       ? options.max_connections_per_peer
                                       : std::max<std::size_t>(1, limit / 4);
    const auto excess = [](auto value, auto most) {
        return value > most ? static_cast<std::size_t>(value - most) : 0;
    };
    return std::max({excess(count, limit), excess(peer_count, peer_limit),
                     excess(descriptor, options.max_descriptor)});
}

void HttpServer::Hidden::cancel_pause() {
    if (is_scheduled()) {
        first_loop.timekeeper->cancel(*this);
    }
}

void HttpServer::Hidden::stop_accepting() {
    boost::system::error_code ignored;
    const std::string& path = serving->options.socket_path;
    if (acceptor.is_open() && !path.empty()) {
        std::ignore = ::unlink(path.c_str());  // another process may have removed it
    }
    std::ignore = acceptor.close(ignored);  // the descriptor is closed in any case
    cancel_pause();
}

void HttpServer::Hidden::stop() {
    stop_accepting();
    close_all(*loops.front());
    for (std::size_t index = 1; index < loops.size(); ++index) {
        asio::post(loops[index]->loop.executor, [loop = loops[index]] { close_all(*loop); });
    }
}

NetResult<std::unique_ptr<HttpServer>> HttpServer::listen(std::vector<OwningLoop> loops,
                                                          const HttpServerOptions& options,
                                                          std::shared_ptr<HttpHandler> handler) {
    HOLDFAST_EXPECT(!loops.empty());
    HOLDFAST_EXPECT(handler != nullptr);
    auto hidden = std::make_shared<Hidden>(loops.front());
    hidden->serving->options = options;
    hidden->serving->handler = std::move(handler);
    for (OwningLoop& loop : loops) {
        hidden->loops.push_back(std::make_shared<HttpLoop>());
        hidden->loops.back()->loop = std::move(loop);
        hidden->loops.back()->serving = hidden->serving;
    }
    if (const auto opened = hidden->open(options); !opened) {
        return opened.error();
    }
    hidden->accept_next();
    return std::unique_ptr<HttpServer>{new HttpServer(std::move(hidden))};
}

HttpServer::HttpServer(std::shared_ptr<Hidden> hidden) : hidden_(std::move(hidden)) {}

// NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
HttpServer::~HttpServer() {
    hidden_->stop();
}

std::uint16_t HttpServer::port() const noexcept {
    return hidden_->port;
}

std::size_t HttpServer::connection_count() const {
    return hidden_->serving->connection_count.load(std::memory_order_relaxed);
}

void HttpServer::drain() {
    asio::post(hidden_->first_loop.executor, [hidden = hidden_] {
        hidden->accept_last();
        hidden->stop_accepting();
    });
    for (const auto& loop : hidden_->loops) {
        asio::post(loop->loop.executor, [loop] { drain_all(*loop); });
    }
}

void HttpServer::report_unwritten(const std::shared_ptr<UnwrittenTally>& tally) const {
    for (const auto& loop : hidden_->loops) {
        tally->ask();
        asio::post(loop->loop.executor, [loop, tally] {
            tally->report(static_cast<std::size_t>(std::ranges::count_if(
                loop->connections,
                [](const HttpConnection* connection) { return connection->is_unfinished(); })));
        });
    }
}

}  // namespace holdfast::net
