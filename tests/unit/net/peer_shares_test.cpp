#include "net/http/server/peer_shares.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::net {
namespace {

class PeerSharesTest : public testing::Test {
protected:
    /// Counts a connection and keeps its share.
    std::size_t count(const std::string& address) {
        PeerShares::Counted counted = shares->count(boost::asio::ip::make_address(address));
        kept.push_back(std::move(counted.share));
        return counted.count;
    }

    std::shared_ptr<PeerShares> shares = std::make_shared<PeerShares>();
    std::vector<PeerShare> kept;
};

TEST_F(PeerSharesTest, CountsEachAddressOnItsOwn) {
    EXPECT_EQ(count("192.0.2.1"), 1U);
    EXPECT_EQ(count("192.0.2.1"), 2U);
    EXPECT_EQ(count("192.0.2.2"), 1U);

    kept.clear();

    EXPECT_EQ(count("192.0.2.1"), 1U);
}

TEST_F(PeerSharesTest, ANetworkOfIpv6IsOneAddress) {
    EXPECT_EQ(count("2001:db8::1"), 1U);
    EXPECT_EQ(count("2001:db8::ffff:1"), 2U);
    EXPECT_EQ(count("2001:db8:0:1::1"), 1U);
}

TEST_F(PeerSharesTest, AnIpv4AddressInIpv6IsTheSame) {
    EXPECT_EQ(count("192.0.2.1"), 1U);
    EXPECT_EQ(count("::ffff:192.0.2.1"), 2U);
}

}  // namespace
}  // namespace holdfast::net
