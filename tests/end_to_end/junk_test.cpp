// Lines that a server prints to its standard output between messages, with the built-in policy.

#include <string>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 20;

class JunkTest : public testing::Test {
protected:
    void start(const std::string& sections = {}) {
        scene_.scene().add_server("noisy", server_.stdio_entry());
        if (!sections.empty()) {
            scene_.scene().add_section(sections);
        }
        scene_.start(kAcceptanceLegs[1], kRate, "write");
    }

    TroubledServer server_{{read_only_tool("read"), unmarked_tool("write")}};
    Acceptance scene_;
};

TEST_F(JunkTest, ALineThatIsNotJsonIsSkippedWithOneWarning) {
    start();
    server_.does({"noisy the answer"});

    EXPECT_EQ(text_in(scene_.answer("write")), "the answer");
    EXPECT_EQ(text_in(scene_.answer("write")), "the answer");

    EXPECT_TRUE(has(scene_.logged("server \"noisy\" sent a line that is not JSON-RPC"),
                    "this is not JSON"));
    EXPECT_EQ(server_.arrival_count(), 2U);
}

TEST_F(JunkTest, ACallWithoutAnAnswerTimesOutOrEndsWithTheProcess) {
    start();
    server_.does({"junk", "die"});

    EXPECT_EQ(scene_.code("write"), "TIMEOUT");
    EXPECT_EQ(scene_.code("write"), "CONNECTION_LOST");
}

TEST_F(JunkTest, AnInvalidAnswerThatNamesItsCallIsMalformedAtOnce) {
    start();
    server_.does({"invalid"});

    EXPECT_EQ(scene_.code("write"), "MALFORMED_RESPONSE");
}

TEST_F(JunkTest, AnInvalidAnswerIsMalformedAtOnceAlsoWhereJunkFails) {
    start(R"("policies":{"default":{"junk":"fail"}})");
    server_.does({"invalid"});

    EXPECT_EQ(scene_.code("write"), "MALFORMED_RESPONSE");
}

TEST_F(JunkTest, AServerCanBeConfiguredToFailOnJunk) {
    start(R"("policies":{"default":{"junk":"fail"}})");
    server_.does({"junk"});

    EXPECT_EQ(scene_.code("write"), "MALFORMED_RESPONSE");
}

}  // namespace
}  // namespace holdfast::test
