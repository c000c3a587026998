#include "runtime/logs/connection_log.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace holdfast::runtime {
namespace {

using record::EventKind;
using record::EventWhat;
using Lines = std::vector<std::string>;

class ConnectionLogTest : public testing::Test {
protected:
    void tell(EventWhat what, std::uint32_t attempt = 0, const std::string& reason = {},
              const std::string& server = "box") {
        log_.on_event({.kind = EventKind::connection,
                       .server = server,
                       .what = what,
                       .reason = reason,
                       .attempt = attempt});
    }
    void tell_list(EventWhat what, const std::string& reason) {
        log_.on_event({.kind = EventKind::connection,
                       .server = "box",
                       .subject = "tools/list",
                       .what = what,
                       .reason = reason});
    }

    Lines said_;
    ConnectionLog log_{[this](const std::string& sentence) { said_.push_back(sentence); }};
};

TEST_F(ConnectionLogTest, SaysNothingOfAServerThatIsWell) {
    tell(EventWhat::connecting);
    tell(EventWhat::ready);
    tell(EventWhat::paused, 0, "An operator has paused it.");
    tell(EventWhat::connecting);
    tell(EventWhat::ready);
    tell(EventWhat::stopped, 0, "It has been stopped.");

    EXPECT_EQ(said_, Lines{});
}

TEST_F(ConnectionLogTest, TellsOnceThatAServerCannotBeReachedAndThatItIsThere) {
    tell(EventWhat::connecting);
    tell(EventWhat::waiting, 1, "The server cannot be reached: refused.");
    for (std::uint32_t attempt = 2; attempt < 50; ++attempt) {
        tell(EventWhat::connecting, attempt, "The server cannot be reached: refused.");
        tell(attempt < 5 ? EventWhat::waiting : EventWhat::given_up, attempt,
             "The server cannot be reached.");
    }
    EXPECT_EQ(said_, (Lines{"the server \"box\" is not connected: "
                            "The server cannot be reached: refused."}));

    tell(EventWhat::ready, 49);
    EXPECT_EQ(said_.size(), 2U);
    EXPECT_EQ(said_.back(), "the server \"box\" is connected.");
}

TEST_F(ConnectionLogTest, TellsOfALossThatIsMadeGoodAtOnce) {
    tell(EventWhat::ready);
    tell(EventWhat::connecting, 0, "The session is over.");
    tell(EventWhat::ready);

    EXPECT_EQ(said_, (Lines{"the server \"box\" is not connected: The session is over.",
                            "the server \"box\" is connected."}));
}

TEST_F(ConnectionLogTest, AServerThatDiesAgainAndAgainIsAFewLinesUntilAConnectionLasts) {
    tell(EventWhat::ready);
    for (std::uint32_t attempt = 1; attempt < 100; ++attempt) {
        tell(EventWhat::waiting, attempt, "It exited with code 3.");
        tell(EventWhat::connecting, attempt, "It exited with code 3.");
        tell(EventWhat::ready, attempt);
        tell_list(EventWhat::list_failed, "db down");
    }
    EXPECT_EQ(said_, (Lines{"the server \"box\" is not connected: It exited with code 3.",
                            "the server \"box\" is connected.",
                            "tools/list of the server \"box\" failed: db down.",
                            "the server \"box\" is lost again, soon after it was connected: "
                            "It exited with code 3."}));

    tell(EventWhat::ready, 0);
    ASSERT_EQ(said_.size(), 5U);
    EXPECT_EQ(said_.back(), "the server \"box\" is connected.");

    tell(EventWhat::waiting, 1, "It exited with code 4.");
    ASSERT_EQ(said_.size(), 6U);
    EXPECT_EQ(said_.back(), "the server \"box\" is not connected: It exited with code 4.");
}

TEST_F(ConnectionLogTest, KeepsServersApart) {
    tell(EventWhat::waiting, 1, "Gone.", "one");
    tell(EventWhat::waiting, 1, "Gone.", "two");
    tell(EventWhat::ready, 1, "", "two");

    ASSERT_EQ(said_.size(), 3U);
    EXPECT_EQ(said_.back(), "the server \"two\" is connected.");
}

TEST_F(ConnectionLogTest, ForgetsAServerThatIsStopped) {
    tell(EventWhat::waiting, 1, "Gone.");
    tell(EventWhat::stopped, 1, "It has been stopped.");
    tell(EventWhat::waiting, 1, "Gone.");

    EXPECT_EQ(said_.size(), 2U);
}

TEST_F(ConnectionLogTest, TellsOfListsAndLeavesTheConnectionAlone) {
    tell_list(EventWhat::list_failed, "db down");
    tell_list(EventWhat::list_read, "");
    tell(EventWhat::ready);

    EXPECT_EQ(said_, (Lines{"tools/list of the server \"box\" failed: db down.",
                            "the server \"box\" answers tools/list again."}));
}

TEST_F(ConnectionLogTest, AReasonStaysOnItsLineAndIsCut) {
    tell(EventWhat::waiting, 1,
         "bad\x1b[31m" + std::string(2'000, 'x') + "\nholdfast: all is well");

    ASSERT_EQ(said_.size(), 1U);
    EXPECT_EQ(said_[0].find('\n'), std::string::npos);
    EXPECT_EQ(said_[0].find('\x1b'), std::string::npos);
    EXPECT_LT(said_[0].size(), 600U);
}

TEST_F(ConnectionLogTest, LeavesOtherKindsAlone) {
    log_.on_event({.kind = EventKind::gateway, .what = EventWhat::waiting, .reason = "x"});

    EXPECT_EQ(said_, Lines{});
}

}  // namespace
}  // namespace holdfast::runtime
