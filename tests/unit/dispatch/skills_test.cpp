#include <gtest/gtest.h>

#include "support/gateway/gateway_world.hpp"

namespace holdfast::dispatch {
namespace {

using mcp::Era;
using test::legacy_result;
using test::modern_result;

bool has_part(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

class SkillsTest : public test::GatewayWorld {
protected:
    std::shared_ptr<test::FakeServer> add_skills(const std::string& name, Era era,
                                                 const std::string& settings = "{}") {
        auto server = add_server(name, era);
        server->negotiated.capabilities =
            R"({"resources":{},"extensions":{"io.modelcontextprotocol/skills":)" + settings + "}}";
        return server;
    }
};

TEST_F(SkillsTest, AreDeclaredIfAServerHasThem) {
    add_server("a", Era::legacy);
    add_skills("b", Era::modern);
    add_skills("c", Era::legacy, R"({"directoryRead":true})");
    begin();
    connect();

    constexpr std::string_view kDeclared =
        R"("extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}})";
    EXPECT_TRUE(has_part(handshake, kDeclared)) << handshake;
    EXPECT_TRUE(has_part(request(Modern{}, "server/discover", "")->answer(), kDeclared));
}

TEST_F(SkillsTest, TheirMethodsAreUnknownWithoutSuchAServer) {
    add_server("a", Era::legacy);
    begin();
    const auto session = connect();

    EXPECT_FALSE(has_part(handshake, "extensions"));
    for (const std::string method : {"skills/list", "skills/get", "resources/directory/read"}) {
        EXPECT_TRUE(
            has_part(request(session, method, R"({"uri":"skill://x"})")->answer(), "-32601"));
        const auto modern = request(Modern{}, method, R"("uri":"skill://x")");
        EXPECT_TRUE(has_part(modern->answer(), "-32601"));
    }
}

TEST_F(SkillsTest, AreListedServerByServer) {
    const auto one = add_skills("a", Era::modern);
    const auto two = add_skills("b", Era::legacy);
    begin();

    const auto first = request(Modern{}, "skills/list", "", "1");
    EXPECT_EQ(one->last().request.params_members, "");
    answer(one->last(), modern_result(R"({"resultType":"complete","skills":[{"uri":"skill://x"}],)"
                                      R"("nextCursor":"c\n1","ttlMs":1,"cacheScope":"private"})"));
    EXPECT_TRUE(has_part(first->answer(), R"("nextCursor":"a\nc\n1")")) << first->answer();

    const auto second = request(Modern{}, "skills/list", R"("cursor":"a\nc\n1")", "2");
    EXPECT_EQ(one->last().request.params_members, R"("cursor":"c\n1")");
    answer(one->last(), modern_result(R"({"resultType":"complete","skills":[]})"));
    EXPECT_TRUE(has_part(second->answer(), R"("nextCursor":"b")")) << second->answer();

    const auto third = request(Modern{}, "skills/list", R"("cursor":"b")", "3");
    EXPECT_EQ(two->last().request.params_members, "");
    answer(two->last(), legacy_result(R"({"skills":[{"uri":"skill://y/SKILL.md"}]})"));
    EXPECT_FALSE(has_part(third->answer(), "nextCursor"));
    EXPECT_TRUE(has_part(third->answer(), R"("ttlMs":0)"));

    for (const std::string cursor : {"\"nobody\"", "\"\"", "7"}) {
        EXPECT_TRUE(has_part(
            request(Modern{}, "skills/list", "\"cursor\":" + cursor, "4")->answer(), "-32602"))
            << cursor;
    }
}

TEST_F(SkillsTest, AreReadAtTheServerThatListedThem) {
    const auto one = add_skills("a", Era::legacy);
    const auto two = add_skills("b", Era::legacy);
    begin();
    const auto session = connect();
    request(session, "skills/list", R"({"cursor":"b"})", "1");
    answer(two->last(), legacy_result(R"({"skills":[{"uri":"skill://pdf/SKILL.md"}]})"));

    request(session, "skills/get", R"({"uri":"skill://pdf/SKILL.md"})", "2");
    request(session, "resources/read", R"({"uri":"skill://pdf/references/FORMS.md"})", "3");
    request(session, "resources/directory/read", R"({"uri":"skill://pdf/references"})", "4");
    const auto unknown = request(session, "skills/get", R"({"uri":"skill://pdfs/SKILL.md"})", "5");

    EXPECT_EQ(two->calls.size(), 4U);
    EXPECT_EQ(one->calls.size(), 0U);
    EXPECT_EQ(two->last().request.method, "resources/directory/read");
    EXPECT_TRUE(has_part(unknown->answer(), R"("data":{"uri":"skill://pdfs/SKILL.md"})"));
}

}  // namespace
}  // namespace holdfast::dispatch
