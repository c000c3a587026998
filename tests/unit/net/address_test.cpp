#include "net/address.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::net {
namespace {

std::string parsed(std::string_view text) {
    const auto address = parsed_address(text);
    return address ? address->text() : "none";
}

TEST(AddressTest, ParsesAHostWithItsPort) {
    EXPECT_EQ(parsed("127.0.0.1:7332"), "127.0.0.1:7332");
    EXPECT_EQ(parsed("0.0.0.0:80"), "0.0.0.0:80");
    EXPECT_EQ(parsed("[::1]:0"), "[::1]:0");
    EXPECT_EQ(parsed("localhost:7332"), "127.0.0.1:7332");
}

TEST(AddressTest, RejectsWhatIsNotAnAddress) {
    for (const std::string_view text :
         {"", "7332", "127.0.0.1", "127.0.0.1:", ":7332", "::1:7332", "[::1]", "127.0.0.1:65536",
          "127.0.0.1:8x", "127.0.0.1:-1", "http://127.0.0.1:7332", "a b:1", "user@127.0.0.1:1"}) {
        EXPECT_EQ(parsed(text), "none") << text;
        EXPECT_NE(fault_in_address(std::string{text}), "") << text;
    }
    EXPECT_EQ(fault_in_address("127.0.0.1:7332"), "");
}

TEST(AddressTest, IsLoopbackOnlyForAddressesOfThisMachine) {
    EXPECT_TRUE(parsed_address("localhost:1")->is_loopback());
    EXPECT_TRUE(parsed_address("127.0.0.1:1")->is_loopback());
    EXPECT_TRUE(parsed_address("127.9.8.7:1")->is_loopback());
    EXPECT_TRUE(parsed_address("[::1]:1")->is_loopback());
    EXPECT_FALSE(parsed_address("0.0.0.0:1")->is_loopback());
    EXPECT_FALSE(parsed_address("[::]:1")->is_loopback());
    EXPECT_FALSE(parsed_address("127.evil.example:1")->is_loopback());
}

}  // namespace
}  // namespace holdfast::net
