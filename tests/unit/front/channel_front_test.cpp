#include "front/channel_front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <tuple>

#include "support/gateway/gateway_world.hpp"
#include "support/memory_channel.hpp"

namespace holdfast::front {
namespace {

using namespace std::chrono_literals;

/// An agent on a channel that reads only when the test does.
class ChannelFrontTest : public test::GatewayWorld {
protected:
    /// At most `queue` messages wait for it.
    void open(std::size_t queue) {
        options.on_agent_given_up = [this](const std::string& name, const std::string& reason) {
            given_up = name + ": " + reason;
        };
        begin();
        auto channels = test::make_memory_channels(home(), queue);
        agent = std::move(channels.far);
        boost::asio::co_spawn(loop.context,
                              serve_channel(home(), std::move(channels.near),
                                            std::make_shared<const dispatch::RequestDispatcher>(
                                                gateway().shared_from_this()),
                                            {.principal = "ada"}),
                              [ended = has_ended](const std::exception_ptr& error) {
                                  EXPECT_FALSE(error);
                                  *ended = true;
                              });
        loop.settle();
    }

    void ping(std::size_t count) {
        on_loop([&] {
            for (std::size_t index = 0; index < count; ++index) {
                ASSERT_TRUE(agent->try_write(R"({"jsonrpc":"2.0","id":)" +
                                             std::to_string(++last_id_) + R"(,"method":"ping"})"));
            }
        });
    }
    std::size_t read_all() {
        std::size_t count = 0;
        on_loop([&] {
            while (agent->try_read()) {
                ++count;
            }
        });
        return count;
    }

    std::unique_ptr<test::MemoryChannel> agent;
    std::string given_up;
    /// Shared, because the front may outlive the test.
    const std::shared_ptr<bool> has_ended = std::make_shared<bool>(false);

private:
    int last_id_ = 0;
};

TEST_F(ChannelFrontTest, AnAgentThatDoesNotReadIsNotReadFrom) {
    constexpr std::size_t kPings = 400;
    open(kPings);
    ping(kPings);

    std::size_t most = 0;
    std::size_t answers = 0;
    while (const std::size_t count = read_all()) {
        most = std::max(most, count);
        answers += count;
    }

    EXPECT_EQ(answers, kPings);
    EXPECT_LE(most, kPauseReadingAbove.messages + 1);
    EXPECT_EQ(given_up, "");
    EXPECT_FALSE(*has_ended);
}

TEST_F(ChannelFrontTest, DropsAndCountsNotificationsForAnAgentThatDoesNotRead) {
    open(400);
    const auto session = gateway().sessions().all().front();

    on_loop([&] {
        for (std::size_t index = 0; index <= kDropNotificationsAbove.messages + 9; ++index) {
            session->tell(R"({"jsonrpc":"2.0","method":"notifications/message"})");
        }
    });

    EXPECT_EQ(gateway().dropped_notifications(), 9U);
    EXPECT_EQ(read_all(), kDropNotificationsAbove.messages + 1);
    EXPECT_FALSE(*has_ended);
}

TEST_F(ChannelFrontTest, DisconnectsAnAgentRatherThanLeavingAnAnswerOut) {
    constexpr std::size_t kQueue = 200;
    open(kQueue);
    const auto session = gateway().sessions().all().front();

    on_loop([&] {
        for (std::size_t index = 0; index <= kQueue; ++index) {
            std::ignore = session->ask("ping", "{}", nullptr, [](const auto&) {});
        }
    });
    loop.run_for(1s);

    EXPECT_EQ(given_up.substr(0, given_up.find(" (")),
              "ada: the agent does not read what it is sent");
    EXPECT_EQ(agent->last_words(), "the agent does not read what it is sent");
    EXPECT_TRUE(agent->has_ended());
    EXPECT_TRUE(*has_ended);
}

}  // namespace
}  // namespace holdfast::front
