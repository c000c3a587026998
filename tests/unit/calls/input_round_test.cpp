#include "calls/input_round.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/gateway/answers.hpp"

namespace holdfast::calls {
namespace {

using test::modern_result;

TEST(InputRoundTest, CopiesTheMembersOfAnObject) {
    const Members members = members_of(R"({ "a" : 1.0 ,"b":{"c": [ ]}})");

    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0], (std::pair<std::string, std::string>{"a", "1.0"}));
    EXPECT_EQ(members[1], (std::pair<std::string, std::string>{"b", R"({"c": [ ]})"}));
}

TEST(InputRoundTest, FindsNoMembersInOtherValues) {
    for (const std::string_view text : {"", "[]", "7", "\"{}\"", "null", "{", "{]"}) {
        EXPECT_TRUE(members_of(text).empty()) << text;
    }
}

TEST(InputRoundTest, ReadsTheQuestionsOfAModernServer) {
    const auto input = input_required_in(
        modern_result(R"({"resultType":"input_required","inputRequests":{)"
                      R"("who":{"method":"elicitation/create","params":{"n": 1.0}},)"
                      R"("where":{"method":"roots/list"}},"requestState":"s\u0041"})"));

    ASSERT_TRUE(input);
    ASSERT_EQ(input->questions.size(), 2U);
    EXPECT_EQ(input->questions[0].key, "who");
    EXPECT_EQ(input->questions[0].method, "elicitation/create");
    EXPECT_EQ(input->questions[0].params, R"({"n": 1.0})");
    EXPECT_EQ(input->questions[1].method, "roots/list");
    EXPECT_EQ(input->questions[1].params, "");
    EXPECT_EQ(input->state, R"("s\u0041")");
}

TEST(InputRoundTest, AcceptsAStateWithoutQuestions) {
    const auto input =
        input_required_in(modern_result(R"({"resultType":"input_required","requestState":"s"})"));

    ASSERT_TRUE(input);
    EXPECT_TRUE(input->questions.empty());
}

TEST(InputRoundTest, ReturnsNothingWithoutQuestionsAndState) {
    EXPECT_FALSE(input_required_in(modern_result(R"({"resultType":"input_required"})")));
    EXPECT_FALSE(
        input_required_in(modern_result(R"({"resultType":"input_required","inputRequests":{}})")));
    EXPECT_FALSE(
        input_required_in(modern_result(R"({"resultType":"input_required","inputRequests":[1]})")));
}

TEST(InputRoundTest, ReadsAnInvalidQuestionWithoutAMethod) {
    const auto input = input_required_in(modern_result(
        R"({"resultType":"input_required","inputRequests":{"a":5,"b":{"method":7}}})"));

    ASSERT_TRUE(input);
    EXPECT_EQ(input->questions.at(0).method, "");
    EXPECT_EQ(input->questions.at(1).method, "");
}

TEST(InputRoundTest, AsksAModernAgentByAResult) {
    EXPECT_EQ(input_required_result({{.key = "q1", .method = "roots/list"},
                                     {.key = "q\"2", .method = "a/b", .params = R"({"x":1})"}},
                                    "holdfast:s"),
              R"({"resultType":"input_required","inputRequests":{"q1":{"method":"roots/list"},)"
              R"("q\"2":{"method":"a/b","params":{"x":1}}},"requestState":"holdfast:s"})");
}

TEST(InputRoundTest, CallsAModernServerAgainWithAnswers) {
    EXPECT_EQ(retry_members({{"a", R"({"x": 1})"}, {"b\"", "{}"}}, R"("s\u0041")"),
              R"("inputResponses":{"a":{"x": 1},"b\"":{}},"requestState":"s\u0041")");
    EXPECT_EQ(retry_members({}, ""), R"("inputResponses":{})");
}

KeyedQuestion form(std::string params) {
    return {.method = "elicitation/create", .params = std::move(params)};
}

TEST(InputRoundTest, RemovesTheModeForAgentsWithoutModes) {
    const KeyedQuestion question = form(R"({"mode":"form","message":"x"})");

    EXPECT_EQ(params_for_agent(question, mcp::Revision::v2025_06_18, "id"), R"({"message":"x"})");
    EXPECT_EQ(params_for_agent(question, mcp::Revision::v2025_11_25, "id"), question.params);
    EXPECT_EQ(params_for_agent(form(R"({"message": "x"})"), mcp::Revision::v2025_06_18, "id"),
              R"({"message": "x"})");
}

TEST(InputRoundTest, GivesAUrlAnIdIfItHasNone) {
    EXPECT_EQ(
        params_for_agent(form(R"({"mode":"url","url":"u:"})"), mcp::Revision::v2025_11_25, "new"),
        R"({"mode":"url","url":"u:","elicitationId":"new"})");
    EXPECT_EQ(params_for_agent(form(R"({"mode":"url","elicitationId":"old"})"),
                               mcp::Revision::v2025_11_25, "new"),
              R"({"mode":"url","elicitationId":"old"})");
}

TEST(InputRoundTest, KeepsOtherQuestionsUnchanged) {
    const KeyedQuestion question{.method = "sampling/createMessage", .params = R"({"mode":"url"})"};

    EXPECT_EQ(params_for_agent(question, mcp::Revision::v2024_11_05, "id"), question.params);
    EXPECT_EQ(params_for_agent({.method = "roots/list"}, mcp::kNewestLegacy, "id"), "");
}

TEST(InputRoundTest, HidesMembersOfTheServerConnectionFromAModernAgent) {
    EXPECT_EQ(params_for_modern_agent(form(
                  R"({"mode":"url","elicitationId":"x","url":"u:","_meta":{"progressToken":1}})")),
              R"({"mode":"url","url":"u:"})");
    EXPECT_EQ(params_for_modern_agent({.method = "roots/list"}), "");
}

}  // namespace
}  // namespace holdfast::calls
