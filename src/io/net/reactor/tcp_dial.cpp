#include "net/reactor/tcp_dial.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "holdfast/resilience/asio/one_shot.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;
using resilience::WakeReason;

// Further addresses of one host are not tried.
constexpr std::size_t kMaxAddresses = 8;

// Shared with running operations, which may outlive the waiting coroutine: a name lookup of the
// system cannot be cancelled.
struct Dial {
    explicit Dial(const OwningLoop& loop)
        : resolver(loop.executor), socket(loop.executor), done(*loop.timekeeper) {}

    tcp::resolver resolver;
    tcp::socket socket;
    resilience::OneShot done;
    Error error = asio::error::would_block;
    std::vector<tcp::endpoint> endpoints;
};

NetError given_up(WakeReason reason, const std::string& whom) {
    if (reason == WakeReason::cancelled) {
        return {.code = NetErrc::cancelled, .message = "connecting to " + whom + " was cancelled"};
    }
    return {.code = NetErrc::timed_out, .message = whom + " did not answer in time"};
}

void start_resolving(const std::shared_ptr<Dial>& dial, const std::string& host,
                     std::uint16_t port) {
    Error error;
    const auto address = asio::ip::make_address(host, error);
    if (!error) {
        dial->endpoints.emplace_back(address, port);
        dial->error = {};
        dial->done.signal();
        return;
    }
    dial->resolver.async_resolve(
        host, std::to_string(port), tcp::resolver::numeric_service,
        [dial](const Error& failed, const tcp::resolver::results_type& results) {
            dial->error = failed;
            for (const auto& entry : results) {
                dial->endpoints.push_back(entry.endpoint());
            }
            dial->endpoints.resize(std::min(dial->endpoints.size(), kMaxAddresses));
            dial->done.signal();
        });
}

void start_connecting(const std::shared_ptr<Dial>& dial, const tcp::endpoint& endpoint) {
    Error ignored;  // a socket that was never open cannot be closed
    std::ignore = dial->socket.close(ignored);
    dial->error = asio::error::would_block;
    dial->socket.async_connect(endpoint, [dial](const Error& error) {
        // otherwise it belongs to an address that was abandoned
        if (error != asio::error::operation_aborted) {
            dial->error = error;
            dial->done.signal();
        }
    });
}

// Alternates the address families, so that a family without a route costs only one share of the
// time.
void interleave_families(std::vector<tcp::endpoint>& endpoints) {
    std::vector<tcp::endpoint> first;
    std::vector<tcp::endpoint> second;
    for (const auto& endpoint : endpoints) {
        const bool is_first = endpoint.protocol() == endpoints.front().protocol();
        (is_first ? first : second).push_back(endpoint);
    }
    endpoints.clear();
    for (std::size_t index = 0; index < std::max(first.size(), second.size()); ++index) {
        if (index < first.size()) {
            endpoints.push_back(first[index]);
        }
        if (index < second.size()) {
            endpoints.push_back(second[index]);
        }
    }
}

void make_ready(tcp::socket& socket) {
    Error ignored;  // slower without, but not wrong
    std::ignore = socket.set_option(tcp::no_delay{true}, ignored);
    std::ignore = socket.non_blocking(true, ignored);
}

asio::awaitable<NetResult<tcp::socket>> connect_in_turn(OwningLoop loop, std::shared_ptr<Dial> dial,
                                                        std::string whom,
                                                        resilience::Deadline deadline) {
    NetError last{.code = NetErrc::closed, .message = whom + " has no address"};
    auto left = static_cast<resilience::Duration::rep>(dial->endpoints.size());
    for (const tcp::endpoint& endpoint : dial->endpoints) {
        const resilience::TimePoint now = loop.timekeeper->now();
        const auto share = deadline.tightened(now, deadline.remaining(now) / left--);
        start_connecting(dial, endpoint);
        const WakeReason reason = co_await dial->done.wait_until(share.when());
        if (reason == WakeReason::signalled && !dial->error) {
            make_ready(dial->socket);
            co_return std::move(dial->socket);
        }
        if (reason == WakeReason::cancelled) {
            Error ignored;
            std::ignore = dial->socket.close(ignored);
            co_return given_up(reason, whom);
        }
        last =
            reason == WakeReason::time
                ? given_up(reason, whom)
                : system_error(NetErrc::closed, "cannot connect to " + whom, dial->error.value());
    }
    Error ignored;
    std::ignore = dial->socket.close(ignored);
    co_return last;
}

}  // namespace

asio::awaitable<NetResult<tcp::socket>> dial_tcp(OwningLoop loop, std::string host,
                                                 std::uint16_t port,
                                                 resilience::Deadline deadline) {
    const std::string whom = host + ":" + std::to_string(port);
    const auto dial = std::make_shared<Dial>(loop);
    start_resolving(dial, host, port);
    const WakeReason reason = co_await dial->done.wait_until(deadline.when());
    if (reason != WakeReason::signalled) {
        dial->resolver.cancel();
        co_return given_up(reason, whom);
    }
    if (dial->error) {
        co_return NetError{
            .code = NetErrc::closed,
            .message = "the host " + host + " cannot be found: " + dial->error.message()};
    }
    if (!dial->endpoints.empty()) {
        interleave_families(dial->endpoints);
    }
    co_return co_await connect_in_turn(loop, dial, whom, deadline);
}

}  // namespace holdfast::net
