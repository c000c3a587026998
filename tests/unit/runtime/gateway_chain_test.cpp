#include "runtime/gateway_chain.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::runtime {
namespace {

TEST(GatewayChainTest, AGatewayWithTheSameConfigIsItsOwnServer) {
    const std::string chain = chain_with("", "/a/config.json");

    const auto fault = fault_in_chain(chain, "/a/../a/config.json");

    ASSERT_TRUE(fault);
    EXPECT_NE(fault->find("the gateway would be its own server"), std::string::npos);
    EXPECT_FALSE(fault_in_chain("", "/a/config.json"));
    EXPECT_TRUE(fault_in_chain(chain_with(chain, "/b.json"), "/a/config.json"));
}

TEST(GatewayChainTest, FourDifferentGatewaysMayBeInAChain) {
    std::string chain;
    for (const std::string config : {"/1.json", "/2.json", "/3.json", "/4.json"}) {
        EXPECT_FALSE(fault_in_chain(chain, config)) << config;
        chain = chain_with(chain, config);
    }

    const auto fault = fault_in_chain(chain, "/5.json");

    ASSERT_TRUE(fault);
    EXPECT_NE(fault->find("this is the 5th gateway in a chain"), std::string::npos) << *fault;
}

TEST(GatewayChainTest, AnyTextInTheVariableCounts) {
    EXPECT_FALSE(fault_in_chain("x,y,z", "/a.json"));
    EXPECT_TRUE(fault_in_chain(",,,,", "/a.json"));
}

}  // namespace
}  // namespace holdfast::runtime
