#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "end_to_end/http_backend.hpp"
#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"

// Embeddings from a server: one that answers, one that fails, and one that is silent.

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kLine = "POST /v1/embeddings";
constexpr std::string_view kOne = R"({"data":[{"index":0,"embedding":[0.1,0.9,0.2]}]})";

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// One tool, so that every request of the gateway has one text.
class HttpEmbedderTest : public testing::Test {
protected:
    void start(const std::string& timeout) {
        scene.add_server("api", R"({"type":"rest","url":"http://127.0.0.1:9","tools":[{"name":)"
                                R"("mail","method":"GET","path":"/","description":"Letters"}]})");
        scene.add_section(R"("surface":{"mode":"search"},"search":{"embedder":{"url":")" +
                          embedder.url() + R"(/v1","model":"m1","key":"the-secret-key",)" +
                          R"("timeout":")" + timeout + R"("}})");
        ASSERT_TRUE(scene.start());
    }
    bool finds_with(TestAgent& agent, std::string_view words) {
        return eventually(
            [&] {
                last = agent.request(tool_call("find_tools", R"({"query":"post a letter"})"));
                return has(last, words);
            },
            60s);
    }
    TestAgent opened() {
        TestAgent agent = scene.agent(kAgentLegs[1]);
        EXPECT_TRUE(agent.open());
        return agent;
    }

    HttpBackend embedder;
    Scene scene;
    std::string last;
};

TEST_F(HttpEmbedderTest, UsesTheEmbeddingsOfTheServer) {
    embedder.answer(std::string{kLine}, 200, std::string{kOne});
    start("20s");
    TestAgent agent = opened();

    EXPECT_TRUE(finds_with(agent, R"("structuredContent":{"step":"hybrid")")) << last;

    const BackendRequest asked = embedder.last();
    EXPECT_EQ(asked.body, R"({"model":"m1","encoding_format":"float","input":["post a letter"]})");
    EXPECT_EQ(asked.header("authorization"), "Bearer the-secret-key");
}

TEST_F(HttpEmbedderTest, AFailingServerIsNotCalledForAWhile) {
    embedder.answer(std::string{kLine}, 200, std::string{kOne});
    start("20s");
    TestAgent agent = opened();
    ASSERT_TRUE(finds_with(agent, R"("structuredContent":{"step":"hybrid")")) << last;

    embedder.answer(std::string{kLine}, 503, "no");
    EXPECT_TRUE(finds_with(agent, "the embedder answered with status 503")) << last;
    EXPECT_TRUE(has(last, R"("structuredContent":{"step":"keyword")")) << last;
    EXPECT_TRUE(finds_with(agent, "is not used for a while")) << last;
    EXPECT_TRUE(has(last, R"("structuredContent":{"step":"keyword")")) << last;
    EXPECT_FALSE(has(last, "the-secret-key"));
}

TEST_F(HttpEmbedderTest, ASilentServerCostsItsTimeoutUntilItIsNotCalledAnyMore) {
    embedder.answer(std::string{kLine}, 200, std::string{kOne});
    start("300ms");
    TestAgent agent = opened();
    ASSERT_TRUE(finds_with(agent, R"("structuredContent":{"step":"hybrid")")) << last;

    embedder.be_silent(std::string{kLine});

    EXPECT_TRUE(finds_with(agent, "embedding took too long")) << last;
    EXPECT_TRUE(has(last, R"("structuredContent":{"step":"keyword")")) << last;
    EXPECT_TRUE(finds_with(agent, "is not used for a while")) << last;
    EXPECT_TRUE(has(last, R"("structuredContent":{"step":"keyword")")) << last;
}

TEST_F(HttpEmbedderTest, AnUnreadableAnswerLeavesKeywordSearchOnly) {
    embedder.answer(std::string{kLine}, 200, R"({"data":"nothing"})");
    start("20s");
    TestAgent agent = opened();

    EXPECT_TRUE(finds_with(agent, R"("structuredContent":{"step":"keyword")")) << last;
    EXPECT_TRUE(has(last, "no tool is embedded yet")) << last;
}

}  // namespace
}  // namespace holdfast::test
