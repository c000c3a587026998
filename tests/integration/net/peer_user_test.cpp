// Who sent a request, according to the system.
#include <sys/types.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "net/reactor/peer_lookup.hpp"
#include "served_http.hpp"

namespace holdfast::net {
namespace {

class PeerUserTest : public ServedHttpTest {};

/// Both ends of a connection on this machine.
struct Pair {
    Pair() {
        const platform::UniqueFd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size_bytes = sizeof(address);
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(listener.get(), plain, size_bytes), 0);
        EXPECT_EQ(::listen(listener.get(), 1), 0);
        EXPECT_EQ(::getsockname(listener.get(), plain, &size_bytes), 0);
        EXPECT_EQ(::connect(client.get(), plain, size_bytes), 0);
        server = platform::UniqueFd{::accept(listener.get(), nullptr, nullptr)};
        EXPECT_TRUE(server.is_open());
    }

    platform::UniqueFd client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    platform::UniqueFd server;
};

TEST_F(PeerUserTest, ARequestNamesTheUserOfItsConnection) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send(post("one"));

    const auto exchange = next_exchange();
    ASSERT_NE(exchange->request().peer, nullptr);
    const auto peer = exchange->request().peer->user();

    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->user, ::geteuid());
    EXPECT_FALSE(peer->process);
    exchange->reply({});
}

TEST_F(PeerUserTest, TheSystemIsAskedOnceForAConnection) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send(post("one"));
    const auto exchange = next_exchange();
    EXPECT_EQ(user_of(exchange->request()), ::geteuid());

    from.close();

    EXPECT_EQ(user_of(exchange->request()), ::geteuid());
}

TEST(PeerLookupTest, BothWaysFindTheOwner) {
    const Pair pair;
    const auto peer = endpoints_of(pair.server.get());

    ASSERT_TRUE(peer);
    EXPECT_EQ(owner_by_netlink(*peer), ::geteuid());
    EXPECT_EQ(owner_in_proc(*peer), ::geteuid());
}

TEST(PeerLookupTest, ASocketThatItsProgramHasClosedBelongsToNobody) {
    Pair pair;
    const auto peer = endpoints_of(pair.server.get());
    ASSERT_TRUE(peer);

    pair.client.reset();

    EXPECT_FALSE(owner_by_netlink(*peer));
    EXPECT_FALSE(owner_in_proc(*peer));
    EXPECT_FALSE(peer_user_of(pair.server.get()));
}

TEST(PeerLookupTest, AUnixSocketNamesTheProcess) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const platform::UniqueFd one{ends[0]};
    const platform::UniqueFd other{ends[1]};

    const auto peer = peer_user_of(one.get());

    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->user, ::geteuid());
    EXPECT_EQ(peer->process, ::getpid());
}

}  // namespace
}  // namespace holdfast::net
