// Who owns the peer's socket of a loopback connection. Every user of the machine can connect to
// such a port, so the answer decides who may talk without a token: if there is any doubt, there is
// no answer.
#include "net/reactor/peer_lookup.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "platform/unique_fd.hpp"

namespace holdfast::net {
namespace {

constexpr std::size_t kIpv6Words = 4;
// What a row of /proc/net/tcp has at least; it is a line with a length of its own.
constexpr std::size_t kMaxLineBytes = 512;
constexpr std::size_t kMaxTableBytes = std::size_t{64} * 1024 * 1024;
constexpr std::uint8_t kListening = 10;  // TCP_LISTEN

/// An address and a port as the kernel writes them, without the mapping of IPv4 into IPv6.
struct Endpoint {
    bool is_v6 = false;
    std::array<std::uint32_t, kIpv6Words> words = {};  // in the order of the network
    std::uint16_t port = 0;                            // in the order of the network
};

template <class Address>
Address as(const sockaddr_storage& storage) {
    Address address{};
    std::memcpy(&address, &storage, sizeof(address));
    return address;
}

std::optional<Endpoint> endpoint_in(const sockaddr_storage& storage) {
    Endpoint endpoint;
    if (storage.ss_family == AF_INET) {
        const auto address = as<sockaddr_in>(storage);
        endpoint.words[0] = address.sin_addr.s_addr;
        endpoint.port = address.sin_port;
        return endpoint;
    }
    if (storage.ss_family != AF_INET6) {
        return std::nullopt;
    }
    const auto address = as<sockaddr_in6>(storage);
    std::memcpy(endpoint.words.data(), &address.sin6_addr, sizeof(address.sin6_addr));
    endpoint.port = address.sin6_port;
    endpoint.is_v6 = !IN6_IS_ADDR_V4MAPPED(&address.sin6_addr);
    if (!endpoint.is_v6) {
        endpoint.words = {endpoint.words.back(), 0, 0, 0};
    }
    return endpoint;
}

bool is_loopback(const Endpoint& endpoint) {
    if (!endpoint.is_v6) {
        constexpr std::uint32_t kLoopbackNet = 127;
        return (ntohl(endpoint.words[0]) >> 24U) == kLoopbackNet;
    }
    return endpoint.words == std::array<std::uint32_t, kIpv6Words>{0, 0, 0, htonl(1)};
}

struct Question {
    nlmsghdr head = {};
    inet_diag_req_v2 body = {};
};

Question question_about(const Endpoint& local, const Endpoint& remote) {
    Question question;
    question.head.nlmsg_len = sizeof(question);
    question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.head.nlmsg_flags = NLM_F_REQUEST;
    question.body.sdiag_family = local.is_v6 ? AF_INET6 : AF_INET;
    question.body.sdiag_protocol = IPPROTO_TCP;
    question.body.idiag_states = ~std::uint32_t{0};
    inet_diag_sockid& id = question.body.id;
    id.idiag_sport = local.port;
    id.idiag_dport = remote.port;
    std::memcpy(id.idiag_src, local.words.data(), sizeof(id.idiag_src));
    std::memcpy(id.idiag_dst, remote.words.data(), sizeof(id.idiag_dst));
    id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return question;
}

std::optional<uid_t> owner_in_answer(std::string_view bytes, const Question& question) {
    nlmsghdr head{};
    inet_diag_msg socket{};
    if (bytes.size() < NLMSG_HDRLEN + sizeof(socket)) {
        return std::nullopt;
    }
    std::memcpy(&head, bytes.data(), sizeof(head));
    std::memcpy(&socket, bytes.data() + NLMSG_HDRLEN, sizeof(socket));
    const bool is_it = head.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
                       socket.id.idiag_sport == question.body.id.idiag_sport &&
                       socket.id.idiag_dport == question.body.id.idiag_dport &&
                       socket.idiag_state != kListening && socket.idiag_inode != 0;
    return is_it ? std::optional<uid_t>{socket.idiag_uid} : std::nullopt;
}

std::string hex_text(unsigned int number, int digits) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%0*X", digits, number);
    return text.data();
}

/// As in a row of /proc/net/tcp: `0100007F:1CA4`.
std::string table_text(const Endpoint& endpoint, bool is_v6_table) {
    std::vector<std::uint32_t> words{endpoint.words[0]};
    if (is_v6_table && endpoint.is_v6) {
        words.assign(endpoint.words.begin(), endpoint.words.end());
    } else if (is_v6_table) {
        words = {0, 0, htonl(0xFFFFU), endpoint.words[0]};
    }
    std::string text;
    for (const std::uint32_t word : words) {
        text += hex_text(word, 8);
    }
    return text + ':' + hex_text(ntohs(endpoint.port), 4);
}

std::string_view take_field(std::string_view& row) {
    row.remove_prefix(std::min(row.find_first_not_of(' '), row.size()));
    const std::string_view field = row.substr(0, row.find(' '));
    row.remove_prefix(field.size());
    return field;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{number}
                                                                    : std::nullopt;
}

/// The owner in one row, if it is the row of this socket and a program has the socket open.
std::optional<uid_t> owner_in_row(std::string_view row, std::string_view local,
                                  std::string_view remote) {
    take_field(row);  // its number
    if (take_field(row) != local || take_field(row) != remote) {
        return std::nullopt;
    }
    for (int skipped = 0; skipped < 4; ++skipped) {
        take_field(row);  // state, queues, timer, retransmissions
    }
    const auto user = number_in(take_field(row));
    take_field(row);  // probes
    const auto inode = number_in(take_field(row));
    const bool is_open = user && inode && *inode != 0;
    return is_open ? std::optional{static_cast<uid_t>(*user)} : std::nullopt;
}

std::string proc_table(const char* path) {
    std::ifstream file{path};
    std::string table;
    std::string line;
    while (table.size() < kMaxTableBytes && std::getline(file, line)) {
        table.append(line.substr(0, kMaxLineBytes)).push_back('\n');
    }
    return table;
}

std::optional<uid_t> owner_in_either_table(const PeerEndpoints& peer) {
    const auto owner = owner_in_table(proc_table("/proc/net/tcp"), peer);
    return owner ? owner : owner_in_table(proc_table("/proc/net/tcp6"), peer);
}

std::optional<PeerUser> peer_of_unix_socket(int socket) {
    ucred peer{};
    socklen_t size_bytes = sizeof(peer);
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size_bytes) != 0) {
        return std::nullopt;
    }
    return PeerUser{.user = peer.uid, .process = peer.pid};
}

sockaddr* plain(sockaddr_storage& storage) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): required by the interface.
    return reinterpret_cast<sockaddr*>(&storage);
}

}  // namespace

std::optional<PeerEndpoints> endpoints_of(int socket) {
    PeerEndpoints peer;
    socklen_t local_bytes = sizeof(peer.local);
    socklen_t remote_bytes = sizeof(peer.remote);
    if (::getpeername(socket, plain(peer.local), &local_bytes) != 0 ||
        ::getsockname(socket, plain(peer.remote), &remote_bytes) != 0) {
        return std::nullopt;
    }
    return peer;
}

std::optional<uid_t> owner_by_netlink(const PeerEndpoints& peer) {
    const auto local = endpoint_in(peer.local);
    const auto remote = endpoint_in(peer.remote);
    const platform::UniqueFd socket{
        ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG)};
    if (!local || !remote || !socket.is_open()) {
        return std::nullopt;
    }
    // The kernel answers while it takes the question.
    const Question question = question_about(*local, *remote);
    std::array<char, 1024> answer{};
    if (::send(socket.get(), &question, sizeof(question), 0) !=
        static_cast<ssize_t>(sizeof(question))) {
        return std::nullopt;
    }
    const ssize_t size_bytes = ::recv(socket.get(), answer.data(), answer.size(), 0);
    return size_bytes <= 0
               ? std::nullopt
               : owner_in_answer({answer.data(), static_cast<std::size_t>(size_bytes)}, question);
}

std::optional<uid_t> owner_in_table(std::string_view table, const PeerEndpoints& peer) {
    const auto local = endpoint_in(peer.local);
    const auto remote = endpoint_in(peer.remote);
    if (!local || !remote) {
        return std::nullopt;
    }
    // A program may use a socket for IPv6 to connect to an IPv4 address.
    for (const bool is_v6_table : {false, true}) {
        if (local->is_v6 && !is_v6_table) {
            continue;
        }
        const std::string local_text = table_text(*local, is_v6_table);
        const std::string remote_text = table_text(*remote, is_v6_table);
        for (std::string_view rest = table; !rest.empty();) {
            const std::string_view row = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(row.size() + 1, rest.size()));
            if (const auto owner = owner_in_row(row, local_text, remote_text)) {
                return owner;
            }
        }
    }
    return std::nullopt;
}

std::optional<uid_t> owner_in_proc(const PeerEndpoints& peer) {
    const auto owner = owner_in_either_table(peer);
    // A row is not written at once: its owner may be root because the socket was just closed.
    return owner == uid_t{0} ? owner_in_either_table(peer) : owner;
}

std::optional<PeerUser> peer_user_of(int socket) {
    const auto peer = endpoints_of(socket);
    if (!peer) {
        return std::nullopt;
    }
    if (peer->remote.ss_family == AF_UNIX) {
        return peer_of_unix_socket(socket);
    }
    const auto address = endpoint_in(peer->local);
    if (!address || !is_loopback(*address)) {
        return std::nullopt;
    }
    auto owner = owner_by_netlink(*peer);
    // Netlink that finds this end of the connection works, and has said that nobody owns the other.
    if (!owner && !owner_by_netlink({.local = peer->remote, .remote = peer->local})) {
        owner = owner_in_proc(*peer);
    }
    return owner ? std::optional{PeerUser{.user = *owner}} : std::nullopt;
}

}  // namespace holdfast::net
