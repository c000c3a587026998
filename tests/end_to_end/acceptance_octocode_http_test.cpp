// The preset `octocode` with its downstream on HTTP.

#include <string>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 20;

class OctocodeOverHttp : public testing::TestWithParam<AgentLeg> {
protected:
    void start(int rate) {
        scene_.scene().add_server("octo", server_.http_entry(R"("preset":"octocode")"));
        scene_.start(GetParam(), rate, "githubGetFileContent");
    }

    TroubledServer server_{{unmarked_tool("githubGetFileContent"), unmarked_tool("localFindFiles"),
                            unmarked_tool("lspGotoDefinition")}};
    Acceptance scene_;
};

TEST_P(OctocodeOverHttp, TheStatusComesFirst) {
    start(kRate);
    for (const std::string status : {"429 7 slow down", "403 - forbidden", "500 - a", "503 - b"}) {
        const std::size_t before = server_.arrival_count();
        server_.does({"status " + status, "ok fine"});
        EXPECT_EQ(text_in(scene_.answer("githubGetFileContent")), "fine") << status;
        EXPECT_EQ(server_.arrival_count(), before + 2) << status;
    }
}

TEST_P(OctocodeOverHttp, ServerErrorsOpenTheCircuit) {
    start(kRate);
    server_.does({"status 503 - down"});
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(scene_.code("localFindFiles"), "DOWNSTREAM_ERROR");
    }
    EXPECT_EQ(scene_.code("localFindFiles"), "CIRCUIT_OPEN");
    EXPECT_EQ(server_.arrival_count(), 3U);
}

TEST_P(OctocodeOverHttp, MalformedAnswersOpenTheCircuit) {
    start(kRate);
    server_.does({"junk"});
    for (int call = 0; call < 3; ++call) {
        EXPECT_EQ(scene_.code("localFindFiles"), "MALFORMED_RESPONSE");
    }
    EXPECT_EQ(scene_.code("localFindFiles"), "CIRCUIT_OPEN");
    EXPECT_EQ(server_.arrival_count(), 3U);
}

TEST_P(OctocodeOverHttp, AForbiddenForAnotherReasonIsNeitherRetriedNorCounted) {
    start(kRate);
    server_.does({"status 403 - the token lacks the scope repo"});
    for (std::size_t call = 1; call <= 4; ++call) {
        EXPECT_NE(scene_.code("githubGetFileContent"), "CIRCUIT_OPEN");
        EXPECT_EQ(server_.arrival_count(), call);
    }
}

TEST_P(OctocodeOverHttp, ABrokenOrTricklingResponseEndsInOneAnswer) {
    start(kRate);
    server_.does({"trickle all of it"});
    EXPECT_EQ(text_in(scene_.answer("localFindFiles")), "all of it");
    for (const std::string action : {"junk", "close"}) {
        server_.does({action});
        EXPECT_TRUE(has(scene_.answer("localFindFiles"), R"("isError":true)")) << action;
    }
    server_.does({"ok fine"});
    EXPECT_EQ(text_in(scene_.answer("localFindFiles")), "fine");
}

TEST_P(OctocodeOverHttp, OnlyTheLspToolsRetryARefusedConnection) {
    start(1);
    server_.stop();

    const std::string answer = scene_.answer("lspGotoDefinition");
    EXPECT_TRUE(has(answer, R"("attempts":3)")) << answer;
    EXPECT_TRUE(has(answer, "CONNECTION_LOST")) << answer;
    EXPECT_FALSE(has(answer, R"("sideEffects":"possible")")) << answer;
    const std::string other = scene_.answer("localFindFiles");
    EXPECT_TRUE(has(other, R"("attempts":1)")) << other;
    EXPECT_TRUE(has(other, "CONNECTION_LOST")) << other;
}

INSTANTIATE_TEST_SUITE_P(Agent, OctocodeOverHttp, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
