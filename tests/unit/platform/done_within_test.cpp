#include "platform/done_within.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>

namespace holdfast::platform {
namespace {

using namespace std::chrono_literals;

TEST(DoneWithinTest, ReturnsTheResult) {
    EXPECT_EQ(done_within(60s, [] { return std::string{"done"}; }), "done");
}

TEST(DoneWithinTest, AbandonsWorkThatHangs) {
    const auto gate = std::make_shared<std::promise<void>>();
    const auto ended = std::make_shared<std::promise<void>>();

    const auto result = done_within(1ms, [gate, ended] {
        gate->get_future().wait();
        ended->set_value();
        return 1;
    });

    EXPECT_EQ(result, std::nullopt);
    gate->set_value();
    EXPECT_EQ(ended->get_future().wait_for(60s), std::future_status::ready);
}

}  // namespace
}  // namespace holdfast::platform
