#pragma once

#include <sys/socket.h>

#include <optional>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::net {

/// The two ends of a TCP connection as seen from the peer: `local` is the peer's address.
struct PeerEndpoints {
    sockaddr_storage local = {};
    sockaddr_storage remote = {};
};

/// Returns who is at the other end of a connected socket. A Unix socket knows; for a TCP connection
/// of this machine, the kernel knows the owner of the peer's socket. Does not wait.
[[nodiscard]] std::optional<PeerUser> peer_user_of(int socket);

// The two ways to find the owner of a TCP socket. A socket that its program has closed belongs to
// nobody, although the kernel then shows root as its owner.

[[nodiscard]] std::optional<PeerEndpoints> endpoints_of(int socket);
/// Asks the kernel by netlink.
[[nodiscard]] std::optional<uid_t> owner_by_netlink(const PeerEndpoints& peer);
/// Searches `/proc/net/tcp` and `/proc/net/tcp6`, for systems without that netlink family.
[[nodiscard]] std::optional<uid_t> owner_in_proc(const PeerEndpoints& peer);
/// Searches the content of one of these files.
[[nodiscard]] std::optional<uid_t> owner_in_table(std::string_view table,
                                                  const PeerEndpoints& peer);

}  // namespace holdfast::net
