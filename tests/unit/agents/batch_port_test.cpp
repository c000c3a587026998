#include "agents/batch_port.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "support/gateway/recording_port.hpp"

namespace holdfast::agents {
namespace {

using test::RecordingPort;

class BatchPortTest : public ::testing::Test {
protected:
    [[nodiscard]] std::shared_ptr<BatchAnswer> batch_of(std::size_t count) const {
        return std::make_shared<BatchAnswer>(port, count);
    }

    std::shared_ptr<RecordingPort> port = std::make_shared<RecordingPort>();
};

TEST_F(BatchPortTest, AnswersAllTogetherInOrderOfCompletion) {
    const auto batch = batch_of(2);
    BatchPort first{batch};
    BatchPort second{batch};

    second.finish("{\"id\":2}", 200);
    EXPECT_TRUE(port->answers.empty());
    first.finish("{\"id\":1}", 400);

    EXPECT_EQ(port->answer(), R"([{"id":2},{"id":1}])");
    EXPECT_EQ(port->status, 200);
}

TEST_F(BatchPortTest, AnswersASingleRequestAsAList) {
    BatchPort only{batch_of(1)};

    only.finish("{}", 200);

    EXPECT_EQ(port->answer(), "[{}]");
}

TEST_F(BatchPortTest, OmitsCancelledRequests) {
    const auto batch = batch_of(3);
    BatchPort{batch}.abandon();
    BatchPort{batch}.finish("{}", 200);
    BatchPort{batch}.abandon();

    EXPECT_EQ(port->answer(), "[{}]");
    EXPECT_EQ(port->abandoned, 0U);
}

TEST_F(BatchPortTest, IsAbandonedWhenAllRequestsAre) {
    const auto batch = batch_of(2);
    BatchPort{batch}.abandon();
    BatchPort{batch}.abandon();

    EXPECT_TRUE(port->answers.empty());
    EXPECT_EQ(port->abandoned, 1U);
}

TEST_F(BatchPortTest, SendsNotificationsAtOnce) {
    BatchPort one{batch_of(2)};

    one.send("note", Importance::droppable);

    EXPECT_EQ(port->sent, (std::vector<std::string>{"note"}));
    EXPECT_TRUE(one.can_ask());
}

TEST_F(BatchPortTest, DoesNotEndWithItsConnection) {
    BatchPort one{batch_of(1)};

    one.on_gone([] { FAIL(); });

    EXPECT_FALSE(port->gone);
}

}  // namespace
}  // namespace holdfast::agents
