#include "cli/output/call_result.hpp"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

TEST(CallResultTest, ShowsTextsAsTheyAre) {
    EXPECT_EQ(
        shown_result(R"({"content":[{"type":"text","text":"a\nb"},{"type":"text","text":"c\n"}]})",
                     false),
        "a\nb\nc\n");
}

TEST(CallResultTest, NamesContentThatIsNotText) {
    EXPECT_EQ(shown_result(R"({"content":[{"type":"image","mimeType":"image/png","data":"AA=="},)"
                           R"({"type":"resource_link","uri":"file:///a"},)"
                           R"({"type":"resource","resource":{"uri":"file:///b","text":"x"}}]})",
                           false),
              "[image image/png]\n[resource_link file:///a]\n[resource file:///b]\n");
}

TEST(CallResultTest, ShowsStructuredContentWhereThereIsNothingElse) {
    EXPECT_EQ(shown_result(R"({"content":[],"structuredContent":{"a":1.0}})", false),
              "{\"a\":1.0}\n");
    EXPECT_EQ(shown_result(
                  R"({"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}})", false),
              "t\n");
}

TEST(CallResultTest, ShowsATerminalNothingThatSteersIt) {
    constexpr const char* kResult = R"({"content":[{"type":"text","text":"\u001b[2J"}]})";

    EXPECT_EQ(shown_result(kResult, true), "?[2J\n");
    EXPECT_EQ(shown_result(kResult, false), "\x1b[2J\n");
}

TEST(CallResultTest, KnowsWhatFailed) {
    EXPECT_FALSE(is_failed_result(R"({"content":[]})"));
    EXPECT_FALSE(is_failed_result(R"({"content":[],"isError":false})"));
    EXPECT_TRUE(is_failed_result(R"({"content":[],"isError":true})"));
    EXPECT_TRUE(is_failed_result(R"({"resultType":"input_required","inputRequests":{}})"));
}

}  // namespace
}  // namespace holdfast::cli
