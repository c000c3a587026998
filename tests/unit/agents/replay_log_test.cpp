#include "agents/replay_log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace holdfast::agents {
namespace {

using namespace std::chrono_literals;
using Messages = std::vector<std::string>;

class ReplayLogTest : public ::testing::Test {
protected:
    ReplayLog::Follower recorder() {
        return [this](const ReplayLog::Event& event) {
            events.push_back(event.message + (event.is_last ? "." : ""));
            ids.push_back(event.id);
        };
    }
    bool resume(std::string_view id) { return log.resume(id, recorder(), now); }

    ReplayLog log{{.max_events = 4, .max_bytes = 100, .keep_for = 10s}};
    resilience::TimePoint now{1h};
    Messages events;
    Messages ids;
};

TEST_F(ReplayLogTest, GivesEveryEventOfEveryStreamAUniqueId) {
    const auto one = log.open().value();
    const auto two = log.open().value();

    EXPECT_EQ(ReplayLog::first_id(one), "1-0");
    EXPECT_EQ(log.add(one, "a", false, now), "1-1");
    EXPECT_EQ(log.add(two, "b", false, now), "2-1");
    EXPECT_EQ(log.add(one, "c", true, now), "1-2");
}

TEST_F(ReplayLogTest, RepeatsTheMissedEventsOfThatStreamOnly) {
    const auto one = log.open().value();
    const auto two = log.open().value();
    log.add(one, "a", false, now);
    log.add(two, "x", false, now);
    log.add(one, "b", false, now);
    log.add(one, "c", true, now);

    EXPECT_TRUE(resume("1-1"));

    EXPECT_EQ(events, (Messages{"b", "c."}));
    EXPECT_EQ(ids, (Messages{"1-2", "1-3"}));
}

TEST_F(ReplayLogTest, FollowsAnOpenStream) {
    const auto stream = log.open().value();
    EXPECT_TRUE(resume(ReplayLog::first_id(stream)));
    EXPECT_TRUE(events.empty());

    log.add(stream, "a", false, now);
    log.add(stream, "b", true, now);
    log.add(stream, "c", false, now);

    EXPECT_EQ(events, (Messages{"a", "b."}));
}

TEST_F(ReplayLogTest, SendsEventsToTheLatestFollower) {
    const auto stream = log.open().value();
    Messages first;
    ASSERT_TRUE(log.resume(
        "1-0", [&first](const ReplayLog::Event& event) { first.push_back(event.message); }, now));
    log.add(stream, "a", false, now);
    ASSERT_TRUE(resume("1-0"));

    log.add(stream, "b", false, now);

    EXPECT_EQ(first, (Messages{"a", ""}));
    EXPECT_EQ(events, (Messages{"a", "b"}));
}

TEST_F(ReplayLogTest, EndsAReplacedFollower) {
    const auto stream = log.open().value();
    log.add(stream, "a", false, now);
    ASSERT_TRUE(resume("1-0"));
    ASSERT_EQ(events, (Messages{"a"}));
    Messages second;
    const auto follower = [&second](const ReplayLog::Event& event) {
        second.push_back(event.message + (event.is_last ? "." : ""));
    };

    ASSERT_TRUE(log.resume("1-1", follower, now));
    log.add(stream, "b", true, now);

    EXPECT_EQ(events, (Messages{"a", "."}));
    EXPECT_EQ(ids.back(), "");
    EXPECT_EQ(second, (Messages{"b."}));
}

TEST_F(ReplayLogTest, KeepsItsFollowerWhenAResumeFails) {
    const auto stream = log.open().value();
    ASSERT_TRUE(resume("1-0"));

    EXPECT_FALSE(log.resume("1-7", [](const ReplayLog::Event&) { FAIL(); }, now));
    log.add(stream, "a", false, now);

    EXPECT_EQ(events, (Messages{"a"}));
}

TEST_F(ReplayLogTest, RejectsUnknownIds) {
    const auto stream = log.open().value();
    log.add(stream, "a", false, now);

    for (const std::string_view id : {"", "1", "1-", "-1", "1-2", "2-0", "0-0", "a-b", "1-1x",
                                      "1-99999999999999999999", "-1-0"}) {
        EXPECT_FALSE(resume(id)) << id;
    }
    log.add(stream, "b", false, now);
    EXPECT_TRUE(events.empty());
}

TEST_F(ReplayLogTest, ReplaysNothingAfterAGap) {
    const auto stream = log.open().value();
    for (int count = 0; count < 6; ++count) {
        log.add(stream, std::to_string(count), false, now);
    }

    EXPECT_FALSE(resume("1-1"));
    log.add(stream, "more", false, now);

    EXPECT_TRUE(events.empty());
    EXPECT_TRUE(resume("1-3"));
    EXPECT_EQ(events, (Messages{"3", "4", "5", "more"}));
}

TEST_F(ReplayLogTest, LimitsItsSize) {
    const auto stream = log.open().value();
    log.add(stream, std::string(60, 'a'), false, now);
    log.add(stream, std::string(60, 'b'), false, now);

    EXPECT_FALSE(resume("1-0"));
    EXPECT_TRUE(resume("1-1"));
    log.add(stream, std::string(101, 'c'), false, now);
    EXPECT_FALSE(resume("1-2"));
    EXPECT_TRUE(resume("1-3"));
}

TEST_F(ReplayLogTest, DropsOldEvents) {
    const auto stream = log.open().value();
    log.add(stream, "a", false, now);
    now += 9'999ms;
    EXPECT_TRUE(resume("1-0"));
    now += 1ms;

    EXPECT_FALSE(resume("1-0"));
    EXPECT_TRUE(resume("1-1"));
}

TEST_F(ReplayLogTest, KeepsTheEndOfAStreamForAWhile) {
    log.add(log.open().value(), "a", true, now);

    EXPECT_TRUE(resume("1-0"));
    EXPECT_FALSE(resume("1-1"));
}

TEST_F(ReplayLogTest, EndsTheFollowerOfAStreamThatEndsWithoutAnAnswer) {
    const auto stream = log.open().value();
    ASSERT_TRUE(resume("1-0"));

    log.close(stream);
    log.close(stream);
    log.add(stream, "late", false, now);

    EXPECT_EQ(events, (Messages{"."}));
    EXPECT_EQ(ids, (Messages{""}));
    EXPECT_FALSE(resume("1-0"));
}

TEST_F(ReplayLogTest, ClosesAStreamThatWasNeverOpened) {
    log.close(0);
    log.close(7);

    EXPECT_EQ(log.open(), 1U);
}

TEST_F(ReplayLogTest, LetsAFollowerUseTheLog) {
    const auto stream = log.open().value();
    const auto other = log.open().value();
    ASSERT_TRUE(
        log.resume("1-0", [&](const ReplayLog::Event&) { log.add(other, "x", false, now); }, now));

    log.add(stream, "a", false, now);

    EXPECT_TRUE(resume("2-0"));
    EXPECT_EQ(events, (Messages{"x"}));
}

/// Opens a stream in its destructor. This would deadlock if the lock of the log were held.
class OpensAStreamAtItsEnd final {
public:
    explicit OpensAStreamAtItsEnd(ReplayLog& log) : log_(log) {}
    OpensAStreamAtItsEnd(const OpensAStreamAtItsEnd&) = delete;
    OpensAStreamAtItsEnd& operator=(const OpensAStreamAtItsEnd&) = delete;
    ~OpensAStreamAtItsEnd() { std::ignore = log_.open(); }

private:
    ReplayLog& log_;
};

TEST_F(ReplayLogTest, DestroysAFollowerOutsideTheLock) {
    const auto follower = [this] {
        return [owned = std::make_shared<OpensAStreamAtItsEnd>(log)](const ReplayLog::Event&) {};
    };
    const auto stream = log.open().value();
    ASSERT_TRUE(log.resume("1-0", follower(), now));

    ASSERT_TRUE(log.resume("1-0", follower(), now));
    EXPECT_EQ(log.open(), 3U);
    log.add(stream, "a", true, now);
    EXPECT_EQ(log.open(), 5U);
}

TEST_F(ReplayLogTest, OpensNoMoreStreamsThanItsLimit) {
    ReplayLog few{{.max_streams = 2}};
    const auto first = few.open();
    ASSERT_TRUE(first);
    ASSERT_TRUE(few.open());

    EXPECT_FALSE(few.can_open());
    EXPECT_FALSE(few.open());
    few.add(*first, "a", true, now);
    EXPECT_TRUE(few.can_open());
    EXPECT_TRUE(few.open());
}

TEST_F(ReplayLogTest, DropsTheOldestEventsWhenBuffersRunOut) {
    constexpr std::size_t kKilobyte = 1024;
    net::BufferBudget budget{150 * kKilobyte};
    ReplayLog bounded{{.buffers = &budget}};
    const auto stream = bounded.open().value();

    for (int count = 0; count < 4; ++count) {
        bounded.add(stream, std::string(50 * kKilobyte, 'x'), false, now);
    }

    EXPECT_EQ(budget.used_bytes(), 150 * kKilobyte);
    EXPECT_FALSE(bounded.resume("1-0", [](const ReplayLog::Event&) {}, now));
    EXPECT_TRUE(bounded.resume("1-1", [](const ReplayLog::Event&) {}, now));
}

}  // namespace
}  // namespace holdfast::agents
