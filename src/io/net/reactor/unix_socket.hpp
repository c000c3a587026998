#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "net/loop.hpp"
#include "net/net_error.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::net {

/// Listens on a Unix socket that only this user can connect to. Removes an existing file first: the
/// caller must choose a path of its own.
[[nodiscard]] NetResult<platform::UniqueFd> listening_unix_socket(const std::string& path);

/// Connects to a Unix socket without waiting. `closed` if no process listens there. The result is
/// called a TCP socket because Asio's type needs a protocol: it is only used to read and write.
[[nodiscard]] NetResult<boost::asio::ip::tcp::socket> dial_unix(const OwningLoop& loop,
                                                                const std::string& path);

}  // namespace holdfast::net
