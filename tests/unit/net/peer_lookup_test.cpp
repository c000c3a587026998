#include "net/reactor/peer_lookup.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

namespace holdfast::net {
namespace {

sockaddr_storage address_of(const std::string& host, std::uint16_t port) {
    sockaddr_storage storage{};
    if (host.find(':') == std::string::npos) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        EXPECT_EQ(::inet_pton(AF_INET, host.c_str(), &address.sin_addr), 1);
        std::memcpy(&storage, &address, sizeof(address));
    } else {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_port = htons(port);
        EXPECT_EQ(::inet_pton(AF_INET6, host.c_str(), &address.sin6_addr), 1);
        std::memcpy(&storage, &address, sizeof(address));
    }
    return storage;
}

PeerEndpoints connection(const std::string& local, std::uint16_t local_port,
                         const std::string& remote, std::uint16_t remote_port) {
    return {.local = address_of(local, local_port), .remote = address_of(remote, remote_port)};
}

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:1CA4 00000000:0000 0A 00000000:00000000 00:00000000 00000000     7        0 11 "
    "1 00000000145692ac 100 0 0 10 0\n"
    "   1: 0100007F:1CA4 0100007F:C001 01 00000000:00000000 00:00000000 00000000     8        0 12 "
    "1 0 20 4 30 10 -1\n"
    "   2: 0100007F:C001 0100007F:1CA4 01 00000000:00000000 00:00000000 00000000  1000        0 13 "
    "1 0 20 4 30 10 -1\n"
    "   3: 0100007F:C002 0100007F:1CA4 06 00000000:00000000 03:00000F3E 00000000     0        0 0 "
    "3 0\n";

TEST(PeerLookupTest, FindsTheOwnerOfThePeersSocket) {
    EXPECT_EQ(owner_in_table(kTable, connection("127.0.0.1", 49'153, "127.0.0.1", 7332)), 1000U);
    EXPECT_EQ(owner_in_table(kTable, connection("127.0.0.1", 7332, "127.0.0.1", 49'153)), 8U);
}

TEST(PeerLookupTest, AClosedSocketBelongsToNobodyAlthoughTheTableSaysRoot) {
    EXPECT_FALSE(owner_in_table(kTable, connection("127.0.0.1", 49'154, "127.0.0.1", 7332)));
}

TEST(PeerLookupTest, NeverTakesTheOwnerOfAListeningSocket) {
    EXPECT_FALSE(owner_in_table(kTable, connection("127.0.0.1", 7332, "127.0.0.1", 1)));
    EXPECT_FALSE(owner_in_table(kTable, connection("127.0.0.2", 49'153, "127.0.0.1", 7332)));
}

TEST(PeerLookupTest, FindsSocketsForIpv6) {
    constexpr std::string_view kTable6 =
        "   1: 00000000000000000000000001000000:C001 00000000000000000000000001000000:1CA4 01 "
        "00000000:00000000 00:00000000 00000000  1001        0 13 1 0 20 4 30 10 -1\n"
        "   2: 0000000000000000FFFF00000100007F:C003 0000000000000000FFFF00000100007F:1CA4 01 "
        "00000000:00000000 00:00000000 00000000  1002        0 14 1 0 20 4 30 10 -1\n";

    EXPECT_EQ(owner_in_table(kTable6, connection("::1", 49'153, "::1", 7332)), 1001U);
    EXPECT_EQ(owner_in_table(kTable6, connection("127.0.0.1", 49'155, "127.0.0.1", 7332)), 1002U);
    EXPECT_EQ(
        owner_in_table(kTable6, connection("::ffff:127.0.0.1", 49'155, "::ffff:127.0.0.1", 7332)),
        1002U);
}

TEST(PeerLookupTest, UnreadableRowsNameNobody) {
    for (const std::string_view row : {
             "",
             "\n\n",
             "   2: 0100007F:C001 0100007F:1CA4",
             "   2: 0100007F:C001 0100007F:1CA4 01 0:0 00:0 0 x 0 13",
             "   2: 0100007F:C001 0100007F:1CA4 01 0:0 00:0 0 1000 0 x",
             "   2: 0100007F:C001 0100007F:1CA4 01 0:0 00:0 0 1000 0 ",
             "   2: 0100007F:C001 0100007F:1CA4 01 0:0 00:0 0 -1 0 13",
         }) {
        EXPECT_FALSE(owner_in_table(row, connection("127.0.0.1", 49'153, "127.0.0.1", 7332)))
            << row;
    }
}

}  // namespace
}  // namespace holdfast::net
