#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>

#include "holdfast/resilience/deadline.hpp"
#include "net/loop.hpp"
#include "net/net_error.hpp"

namespace holdfast::net {

/// Connects to the first address of the host that answers, each with its share of the time.
/// `closed` if none can be reached or the name is unknown, `timed_out`, `cancelled`. Never waits
/// longer than the deadline, even for the resolver. The socket is non-blocking and does not delay
/// small writes.
[[nodiscard]] boost::asio::awaitable<NetResult<boost::asio::ip::tcp::socket>> dial_tcp(
    OwningLoop loop, std::string host, std::uint16_t port, resilience::Deadline deadline);

}  // namespace holdfast::net
