#include "runtime/logs/connection_log.hpp"

#include <sstream>
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
    void happens(EventWhat what, std::uint32_t attempt = 0, const std::string& reason = {},
                 const std::string& server = "box") {
        log_.on_event({.kind = EventKind::connection,
                       .server = server,
                       .what = what,
                       .reason = reason,
                       .attempt = attempt});
    }
    void happens_to_list(EventWhat what, const std::string& reason) {
        log_.on_event({.kind = EventKind::connection,
                       .server = "box",
                       .subject = "tools/list",
                       .what = what,
                       .reason = reason});
    }

    /// All lines so far.
    [[nodiscard]] Lines logged() const {
        Lines lines;
        std::istringstream text{out_.str()};
        for (std::string line; std::getline(text, line);) {
            lines.push_back(line);
        }
        return lines;
    }

    std::ostringstream out_;
    logging::Log lines_{out_, {.is_journal = true}};  // no time before the message
    ConnectionLog log_{lines_};
};

TEST_F(ConnectionLogTest, IsSilentAboutAHealthyServer) {
    happens(EventWhat::connecting);
    happens(EventWhat::ready);
    happens(EventWhat::paused, 0, "An operator has paused it.");
    happens(EventWhat::connecting);
    happens(EventWhat::ready);
    happens(EventWhat::stopped, 0, "It has been stopped.");

    EXPECT_EQ(logged(), Lines{});
}

TEST_F(ConnectionLogTest, LogsOnceThatAServerIsUnavailableAndThatItConnected) {
    happens(EventWhat::connecting);
    happens(EventWhat::waiting, 1, "The server cannot be reached: refused.");
    for (std::uint32_t attempt = 2; attempt < 50; ++attempt) {
        happens(EventWhat::connecting, attempt, "The server cannot be reached: refused.");
        happens(attempt < 5 ? EventWhat::waiting : EventWhat::given_up, attempt,
                "The server cannot be reached: refused.");
    }
    EXPECT_EQ(logged(), (Lines{"<4>server \"box\" is not connected: "
                               "The server cannot be reached: refused"}));

    happens(EventWhat::ready, 49);
    EXPECT_EQ(logged().size(), 2U);
    EXPECT_EQ(logged().back(), "<6>server \"box\" connected");
}

TEST_F(ConnectionLogTest, LogsAChangedReasonOnce) {
    happens(EventWhat::waiting, 1, "It exited with code 1: no key, process 4711.");
    happens(EventWhat::waiting, 2, "It exited with code 1: no key, process 4712.");
    happens(EventWhat::connecting, 2, "It exited with code 1: no key, process 4712.");
    happens(EventWhat::waiting, 3, "It exited with code 1: the port is in use.");
    happens(EventWhat::given_up, 4, "It exited with code 1: no key, process 4720.");
    happens(EventWhat::given_up, 5, "It exited with code 2: no key, process 4721.");

    EXPECT_EQ(
        logged(),
        (Lines{"<4>server \"box\" is not connected: It exited with code 1: no key, process 4711",
               "<4>server \"box\" is still not connected: It exited with code 1: the port is "
               "in use",
               "<4>server \"box\" is still not connected: It exited with code 2: no key, "
               "process 4721"}));
}

TEST_F(ConnectionLogTest, LogsAFewReasonsOfAServerThatStatesAnotherOneEachTime) {
    for (std::uint32_t attempt = 1; attempt < 100; ++attempt) {
        happens(EventWhat::waiting, attempt, "Reason " + std::string(attempt, 'x') + ".");
    }

    EXPECT_EQ(logged().size(), 8U);
}

TEST_F(ConnectionLogTest, LogsADisconnectFollowedByAReconnectAtOnce) {
    happens(EventWhat::ready);
    happens(EventWhat::connecting, 0, "The session has ended.");
    happens(EventWhat::ready);

    EXPECT_EQ(logged(), (Lines{"<4>server \"box\" is not connected: The session has ended",
                               "<6>server \"box\" connected"}));
}

TEST_F(ConnectionLogTest, LogsAServerThatKeepsCrashingInAFewLinesUntilAConnectionLasts) {
    happens(EventWhat::ready);
    for (std::uint32_t attempt = 1; attempt < 100; ++attempt) {
        happens(EventWhat::waiting, attempt, "It exited with code 3.");
        happens(EventWhat::connecting, attempt, "It exited with code 3.");
        happens(EventWhat::ready, attempt);
        happens_to_list(EventWhat::list_failed, "db down");
    }
    EXPECT_EQ(logged(),
              (Lines{"<4>server \"box\" is not connected: It exited with code 3",
                     "<6>server \"box\" connected", "<4>server \"box\": tools/list failed: db down",
                     "<4>server \"box\" disconnected again shortly after connecting: "
                     "It exited with code 3"}));

    happens(EventWhat::ready, 0);
    ASSERT_EQ(logged().size(), 5U);
    EXPECT_EQ(logged().back(), "<6>server \"box\" connected");

    happens(EventWhat::waiting, 1, "It exited with code 4.");
    ASSERT_EQ(logged().size(), 6U);
    EXPECT_EQ(logged().back(), "<4>server \"box\" is not connected: It exited with code 4");
}

TEST_F(ConnectionLogTest, KeepsServersApart) {
    happens(EventWhat::waiting, 1, "Gone.", "one");
    happens(EventWhat::waiting, 1, "Gone.", "two");
    happens(EventWhat::ready, 1, "", "two");

    ASSERT_EQ(logged().size(), 3U);
    EXPECT_EQ(logged().back(), "<6>server \"two\" connected");
}

TEST_F(ConnectionLogTest, ForgetsAServerThatIsStopped) {
    happens(EventWhat::waiting, 1, "Gone.");
    happens(EventWhat::stopped, 1, "It has been stopped.");
    happens(EventWhat::waiting, 1, "Gone.");

    EXPECT_EQ(logged().size(), 2U);
}

TEST_F(ConnectionLogTest, LogsListsWithoutAffectingTheConnection) {
    happens_to_list(EventWhat::list_failed, "db down");
    happens_to_list(EventWhat::list_read, "");
    happens(EventWhat::ready);

    EXPECT_EQ(logged(), (Lines{"<4>server \"box\": tools/list failed: db down",
                               "<6>server \"box\": tools/list works again"}));
}

TEST_F(ConnectionLogTest, AReasonStaysOnItsLineAndIsCut) {
    happens(EventWhat::waiting, 1,
            "bad\x1b[31m" + std::string(2'000, 'x') + "\nholdfast: all is well");

    ASSERT_EQ(logged().size(), 1U);
    EXPECT_EQ(logged()[0].find('\n'), std::string::npos);
    EXPECT_EQ(logged()[0].find('\x1b'), std::string::npos);
    EXPECT_LT(logged()[0].size(), 600U);
}

TEST_F(ConnectionLogTest, IgnoresOtherKinds) {
    log_.on_event({.kind = EventKind::gateway, .what = EventWhat::waiting, .reason = "x"});

    EXPECT_EQ(logged(), Lines{});
}

}  // namespace
}  // namespace holdfast::runtime
