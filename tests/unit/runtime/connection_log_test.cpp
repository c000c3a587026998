#include "runtime/logs/connection_log.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace holdfast::runtime {
namespace {

using record::EventKind;
using Lines = std::vector<std::string>;

class ConnectionLogTest : public testing::Test {
protected:
    void tell(const std::string& what, std::uint32_t attempt = 0, const std::string& reason = {},
              const std::string& server = "box") {
        log_.on_event({.kind = EventKind::connection,
                       .server = server,
                       .what = what,
                       .reason = reason,
                       .attempt = attempt});
    }
    void tell_list(const std::string& what, const std::string& reason) {
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
    tell("connecting");
    tell("ready");
    tell("paused", 0, "An operator has paused it.");
    tell("connecting");
    tell("ready");
    tell("stopped", 0, "It has been stopped.");

    EXPECT_EQ(said_, Lines{});
}

TEST_F(ConnectionLogTest, TellsOnceThatAServerCannotBeReachedAndThatItIsThere) {
    tell("connecting");
    tell("waiting", 1, "The server cannot be reached: refused.");
    for (std::uint32_t attempt = 2; attempt < 50; ++attempt) {
        tell("connecting", attempt, "The server cannot be reached: refused.");
        tell(attempt < 5 ? "waiting" : "given_up", attempt, "The server cannot be reached.");
    }
    EXPECT_EQ(said_, (Lines{"the server \"box\" is not connected: "
                            "The server cannot be reached: refused."}));

    tell("ready", 49);
    EXPECT_EQ(said_.size(), 2U);
    EXPECT_EQ(said_.back(), "the server \"box\" is connected.");
}

TEST_F(ConnectionLogTest, TellsOfALossThatIsMadeGoodAtOnce) {
    tell("ready");
    tell("connecting", 0, "The session is over.");
    tell("ready");

    EXPECT_EQ(said_, (Lines{"the server \"box\" is not connected: The session is over.",
                            "the server \"box\" is connected."}));
}

TEST_F(ConnectionLogTest, AServerThatDiesAgainAndAgainIsAFewLinesUntilAConnectionLasts) {
    tell("ready");
    for (std::uint32_t attempt = 1; attempt < 100; ++attempt) {
        tell("waiting", attempt, "It exited with code 3.");
        tell("connecting", attempt, "It exited with code 3.");
        tell("ready", attempt);
        tell_list("list_failed", "db down");
    }
    EXPECT_EQ(said_, (Lines{"the server \"box\" is not connected: It exited with code 3.",
                            "the server \"box\" is connected.",
                            "tools/list of the server \"box\" failed: db down.",
                            "the server \"box\" is lost again, soon after it was connected: "
                            "It exited with code 3."}));

    tell("ready", 0);
    ASSERT_EQ(said_.size(), 5U);
    EXPECT_EQ(said_.back(), "the server \"box\" is connected.");

    tell("waiting", 1, "It exited with code 4.");
    ASSERT_EQ(said_.size(), 6U);
    EXPECT_EQ(said_.back(), "the server \"box\" is not connected: It exited with code 4.");
}

TEST_F(ConnectionLogTest, KeepsServersApart) {
    tell("waiting", 1, "Gone.", "one");
    tell("waiting", 1, "Gone.", "two");
    tell("ready", 1, "", "two");

    ASSERT_EQ(said_.size(), 3U);
    EXPECT_EQ(said_.back(), "the server \"two\" is connected.");
}

TEST_F(ConnectionLogTest, ForgetsAServerThatIsStopped) {
    tell("waiting", 1, "Gone.");
    tell("stopped", 1, "It has been stopped.");
    tell("waiting", 1, "Gone.");

    EXPECT_EQ(said_.size(), 2U);
}

TEST_F(ConnectionLogTest, TellsOfListsAndLeavesTheConnectionAlone) {
    tell_list("list_failed", "db down");
    tell_list("list_read", "");
    tell("ready");

    EXPECT_EQ(said_, (Lines{"tools/list of the server \"box\" failed: db down.",
                            "the server \"box\" answers tools/list again."}));
}

TEST_F(ConnectionLogTest, AReasonStaysOnItsLineAndIsCut) {
    tell("waiting", 1, "bad\x1b[31m" + std::string(2'000, 'x') + "\nholdfast: all is well");

    ASSERT_EQ(said_.size(), 1U);
    EXPECT_EQ(said_[0].find('\n'), std::string::npos);
    EXPECT_EQ(said_[0].find('\x1b'), std::string::npos);
    EXPECT_LT(said_[0].size(), 600U);
}

TEST_F(ConnectionLogTest, LeavesOtherKindsAlone) {
    log_.on_event({.kind = EventKind::gateway, .what = "waiting", .reason = "x"});

    EXPECT_EQ(said_, Lines{});
}

}  // namespace
}  // namespace holdfast::runtime
