#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "net/loop.hpp"
#include "net/net_error.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::net {

/// Listens on a Unix socket that only this user can connect to. A file that is in its place is
/// removed first: the caller chooses a path that is nobody else's.
[[nodiscard]] NetResult<platform::UniqueFd> listening_unix_socket(const std::string& path);

/// Connects to a Unix socket, which takes no time. `closed` if nobody listens there. What comes
/// back is called a TCP socket because Asio's type wants a name: all that follows only reads and
/// writes.
[[nodiscard]] NetResult<boost::asio::ip::tcp::socket> dial_unix(const OwningLoop& loop,
                                                                const std::string& path);

}  // namespace holdfast::net
