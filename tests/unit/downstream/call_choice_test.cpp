#include "downstream/supervision/call_choice.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using Choice = ChosenCall::Kind;

constexpr resilience::TimePoint kNow{1h};

std::shared_ptr<const AgentIdentity> session_of(std::string key) {
    return std::make_shared<AgentIdentity>(
        AgentIdentity{.key = std::move(key), .is_session = true});
}

CallCandidate candidate(std::uint64_t id, std::shared_ptr<const AgentIdentity> agent,
                        bool waits_for_agent = false) {
    return {.id = id, .agent = std::move(agent), .waits_for_agent = waits_for_agent};
}

TEST(RecentEndsTest, RemembersTheLastTwoAgentsForFiveSeconds) {
    RecentEnds ends;
    ends.add(nullptr, kNow);
    EXPECT_FALSE(ends.has_other_than(nullptr, kNow));

    ends.add(session_of("a"), kNow);
    ends.add(session_of("b"), kNow + 1s);
    ends.add(session_of("b"), kNow + 2s);

    const auto has_other = [&ends](const std::string& key, resilience::TimePoint now) {
        return ends.has_other_than(session_of(key).get(), now);
    };
    EXPECT_TRUE(has_other("b", kNow + 4'999ms));
    EXPECT_FALSE(has_other("b", kNow + 5s));
    EXPECT_TRUE(has_other("a", kNow + 6'999ms));
    EXPECT_FALSE(has_other("a", kNow + 7s));
    EXPECT_TRUE(has_other("c", kNow + 6s));
}

TEST(RecentEndsTest, CountsTheSessionsOfOneClientAsOne) {
    const auto session_of_client = [](std::string key, std::string client) {
        return std::make_shared<AgentIdentity>(
            AgentIdentity{.key = std::move(key), .is_session = true, .client = std::move(client)});
    };
    RecentEnds ends;
    ends.add(session_of_client("x", "another"), kNow);
    ends.add(session_of_client("a", "one"), kNow + 4s);
    ends.add(session_of_client("b", "one"), kNow + 4s);
    const auto third = session_of_client("c", "one");

    EXPECT_TRUE(ends.has_other_than(third.get(), kNow + 4s));
    EXPECT_FALSE(ends.has_other_than(third.get(), kNow + 5s));
}

TEST(CallChoiceTest, ChoosesNothingWithoutCalls) {
    const CallChoice choice{UnnamedMessage::question};

    EXPECT_EQ(choice.chosen(kNow).kind, Choice::none);
}

TEST(CallChoiceTest, ChoosesTheLatestCallOnAllLoops) {
    CallChoice one{UnnamedMessage::log};
    CallChoice other{UnnamedMessage::log};
    one.add(candidate(7, session_of("a")));
    other.add(candidate(3, session_of("a")));
    one.merge(std::move(other));

    EXPECT_EQ(one.chosen(kNow).kind, Choice::call);
    EXPECT_EQ(one.chosen(kNow).call.id, 7U);
}

TEST(CallChoiceTest, IsUnclearWithAgentsOnSeveralLoops) {
    CallChoice one{UnnamedMessage::log};
    CallChoice other{UnnamedMessage::log};
    one.add(candidate(7, session_of("a")));
    other.add(candidate(3, session_of("b")));
    one.merge(std::move(other));

    EXPECT_EQ(one.chosen(kNow).kind, Choice::unclear);
}

TEST(CallChoiceTest, KnowsOfEndsOnOtherLoops) {
    CallChoice one{UnnamedMessage::question};
    CallChoice other{UnnamedMessage::question};
    one.add(candidate(7, session_of("a")));
    RecentEnds ends;
    ends.add(session_of("b"), kNow);
    other.add(ends);
    one.merge(std::move(other));

    EXPECT_EQ(one.chosen(kNow + 1s).kind, Choice::unclear);
    EXPECT_EQ(one.chosen(kNow + 5s).kind, Choice::call);
}

TEST(CallChoiceTest, AQuestionIsNotForACallThatWaits) {
    CallChoice choice{UnnamedMessage::question};
    choice.add(candidate(1, session_of("a")));
    choice.add(candidate(2, session_of("b"), true));

    EXPECT_EQ(choice.chosen(kNow).kind, Choice::call);
    EXPECT_EQ(choice.chosen(kNow).call.id, 1U);
}

TEST(CallChoiceTest, ALogLineMayBeOfACallThatWaits) {
    CallChoice choice{UnnamedMessage::log};
    choice.add(candidate(1, session_of("a")));
    choice.add(candidate(2, session_of("b"), true));

    EXPECT_EQ(choice.chosen(kNow).kind, Choice::unclear);
}

TEST(CallChoiceTest, ALogLineGoesToACallThatDoesNotWait) {
    CallChoice choice{UnnamedMessage::log};
    choice.add(candidate(1, session_of("a")));
    choice.add(candidate(2, session_of("a"), true));

    EXPECT_EQ(choice.chosen(kNow).call.id, 1U);
}

TEST(CallChoiceTest, IsUnclearIfSeveralCallsWait) {
    CallChoice choice{UnnamedMessage::question};
    choice.add(candidate(1, session_of("a"), true));
    EXPECT_EQ(choice.chosen(kNow).kind, Choice::call);

    choice.add(candidate(2, session_of("a"), true));

    EXPECT_EQ(choice.chosen(kNow).kind, Choice::unclear);
}

}  // namespace
}  // namespace holdfast::downstream
