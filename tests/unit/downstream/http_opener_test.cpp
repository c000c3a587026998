#include "downstream/http_opener.hpp"

#include <gtest/gtest.h>

#include "unit/downstream/http_link_fixture.hpp"

namespace holdfast::downstream::testing {
namespace {

using Kind = CallFault::Kind;
using Opened = resilience::Result<std::shared_ptr<Link>, CallFault>;

const std::string kDiscovered =
    R"({"jsonrpc":"2.0","id":"handshake","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"Be kind."}})";
const std::string kInitialized =
    R"({"jsonrpc":"2.0","id":"handshake","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}})";

FakeReply rpc_error(int status, int code, std::string_view more = "") {
    return json_reply(R"({"jsonrpc":"2.0","id":"handshake","error":{"code":)" +
                          std::to_string(code) + R"(,"message":"No such thing")" +
                          std::string{more} + "}}",
                      status);
}

FakeReply initialized(std::string session_id = "s-1") {
    FakeReply reply = json_reply(kInitialized);
    reply.header_lines.push_back("mcp-session-id: " + std::move(session_id));
    return reply;
}

class HttpOpenerTest : public ::testing::Test {
protected:
    Opened open(LinkPurpose purpose = {}) {
        HttpOpenerOptions options{
            .url = {.host = "h", .port = 1, .target = "/mcp"},
            .transport = transport,
            .link = {.client_info = R"({"name":"gw","version":"1"})", .headers = "X-Key: k\r\n"}};
        HttpOpener opener{fixture.client, fixture.client, std::move(options)};
        Running<Opened> opening{fixture.loop, opener.open(fixture.home(), std::move(purpose),
                                                          fixture.owner, fixture.within(30s))};
        fixture.loop.run_for(1min);
        return std::move(opening.result());
    }
    [[nodiscard]] std::vector<SeenRequest> posts() const { return fixture.client->seen_by("POST"); }

    HttpLinkFixture fixture{mcp::kNewestModern};
    HttpTransport transport = HttpTransport::automatic;
};

// The stream of the old transport, on which the answer to `initialize` arrives with a delay.
FakeReply old_stream() {
    std::string answer = kInitialized;
    answer.replace(answer.find(R"("handshake")"), 11, "1");
    FakeReply reply = event_reply({{.bytes = "event: endpoint\ndata: /messages?s=1\n\n"},
                                   {.after = 1s, .bytes = event(answer)}});
    reply.hangs = true;
    return reply;
}

TEST_F(HttpOpenerTest, SpeaksTheModernEraWithAModernServer) {
    fixture.client->posts.push_back(json_reply(kDiscovered));

    const auto opened = open({.capabilities = R"({"roots":{}})"});

    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->negotiated().revision, mcp::Revision::v2026_07_28);
    EXPECT_EQ((*opened)->negotiated().instructions, "Be kind.");
    EXPECT_FALSE((*opened)->negotiated().has_session_id);
    ASSERT_EQ(posts().size(), 1U);
    EXPECT_TRUE(posts()[0].has_line("MCP-Protocol-Version: 2026-07-28"));
    EXPECT_TRUE(posts()[0].has_line("Mcp-Method: server/discover"));
    EXPECT_TRUE(posts()[0].has_line("X-Key: k"));
    EXPECT_TRUE(posts()[0].says(R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}})"));
    EXPECT_TRUE(posts()[0].says(R"("name":"gw")"));
}

TEST_F(HttpOpenerTest, ReadsADiscoveryThatComesAsAnEvent) {
    fixture.client->posts.push_back(event_reply({{.bytes = event(kDiscovered)}}));

    EXPECT_TRUE(open());
}

TEST_F(HttpOpenerTest, AsksAgainWithTheVersionThatTheServerNames) {
    fixture.client->posts.push_back(
        rpc_error(400, -32022, R"(,"data":{"supported":["2026-07-28"]})"));
    fixture.client->posts.push_back(json_reply(kDiscovered));

    const auto opened = open();

    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->negotiated().era(), mcp::Era::modern);
    EXPECT_EQ(posts().size(), 2U);
}

TEST_F(HttpOpenerTest, AsksAgainOnlyOnce) {
    for (int i = 0; i < 3; ++i) {
        fixture.client->posts.push_back(
            rpc_error(400, -32022, R"(,"data":{"supported":["2026-07-28"]})"));
    }

    const auto opened = open();

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, Kind::not_connected);
    EXPECT_EQ(posts().size(), 2U);
}

TEST_F(HttpOpenerTest, FailsOnUnknownVersions) {
    fixture.client->posts.push_back(
        rpc_error(400, -32022, R"(,"data":{"supported":["2030-01-01"]})"));

    const auto opened = open();

    ASSERT_FALSE(opened);
    EXPECT_EQ(posts().size(), 1U);
}

TEST_F(HttpOpenerTest, CompletesTheHandshakeWithALegacyServer) {
    fixture.client->posts.push_back(rpc_error(200, -32601));
    fixture.client->posts.push_back(initialized());

    const auto opened = open(
        {.capabilities = R"({"sampling":{}})", .client_info = R"({"name":"agent","version":"2"})"});

    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->negotiated().revision, mcp::Revision::v2025_06_18);
    EXPECT_TRUE((*opened)->negotiated().has_session_id);
    ASSERT_EQ(posts().size(), 3U);
    EXPECT_TRUE(posts()[1].says(R"("method":"initialize")"));
    EXPECT_TRUE(posts()[1].says(R"("capabilities":{"sampling":{}})"));
    EXPECT_TRUE(posts()[1].says(R"("clientInfo":{"name":"agent","version":"2"})"));
    EXPECT_EQ(posts()[1].headers.find("MCP-Protocol-Version"), std::string::npos);
    EXPECT_TRUE(posts()[1].has_line("X-Key: k"));
    EXPECT_EQ(posts()[2].body, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    EXPECT_TRUE(posts()[2].has_line("Mcp-Session-Id: s-1"));
    EXPECT_TRUE(posts()[2].has_line("MCP-Protocol-Version: 2025-06-18"));
    const auto gets = fixture.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 1U);
    EXPECT_TRUE(gets[0].has_line("Mcp-Session-Id: s-1"));
}

TEST_F(HttpOpenerTest, TreatsARejectionWithoutABodyAsLegacy) {
    for (const int status : {400, 404, 405, 406}) {
        fixture.client->posts.push_back(status_reply(status));
        fixture.client->posts.push_back(initialized());

        EXPECT_TRUE(open()) << status;
    }
}

TEST_F(HttpOpenerTest, DoesNotProbeAKnownEra) {
    fixture.client->posts.push_back(initialized());

    ASSERT_TRUE(open({.known_era = mcp::Era::legacy}));

    EXPECT_TRUE(posts()[0].says(R"("method":"initialize")"));
}

TEST_F(HttpOpenerTest, IgnoresAnInvalidSessionId) {
    fixture.client->posts.push_back(initialized("two words"));

    const auto opened = open({.known_era = mcp::Era::legacy});

    ASSERT_TRUE(opened);
    EXPECT_FALSE((*opened)->negotiated().has_session_id);
}

TEST_F(HttpOpenerTest, ReportsMissingCredentials) {
    for (const int status : {401, 403}) {
        fixture.client->posts.push_back(status_reply(status));

        const auto opened = open();

        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().kind, Kind::unauthorized);
        EXPECT_EQ(opened.error().http_status, status);
        EXPECT_NE(opened.error().message.find("credentials"), std::string::npos);
    }
}

TEST_F(HttpOpenerTest, ConcludesNoEraFromAnOutage) {
    fixture.client->posts.push_back(status_reply(503));
    fixture.client->posts.push_back(
        {.error = net::HttpClientError{.error = {.code = net::NetErrc::closed, .message = "no"}}});

    for (int i = 0; i < 2; ++i) {
        const auto opened = open();
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().kind, Kind::not_connected);
    }
    EXPECT_EQ(posts().size(), 2U);
}

TEST_F(HttpOpenerTest, EndsAtItsDeadline) {
    fixture.client->posts.push_back({.head_after = 1h});

    const auto opened = open();

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, Kind::timed_out);
}

TEST_F(HttpOpenerTest, NamesTheHostOfARedirectWithoutFollowingIt) {
    FakeReply moved = status_reply(307);
    moved.header_lines.emplace_back("Location: https://user:secret@other.example/mcp?key=1");
    fixture.client->posts.push_back(moved);
    fixture.client->posts.push_back(moved);

    const auto opened = open();

    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message.find("other.example"), std::string::npos);
    EXPECT_EQ(opened.error().message.find("secret"), std::string::npos);
    EXPECT_EQ(opened.error().message.find("key="), std::string::npos);
}

TEST_F(HttpOpenerTest, FallsBackToTheOldTransportIfInitializeIsUnknown) {
    fixture.client->posts.push_back(status_reply(404));
    fixture.client->posts.push_back(status_reply(405));
    fixture.client->posts.push_back(status_reply(202));
    fixture.client->gets.push_back(old_stream());

    const auto opened = open();

    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->negotiated().revision, mcp::Revision::v2025_06_18);
    ASSERT_EQ(posts().size(), 4U);
    EXPECT_EQ(posts()[2].target, "/messages?s=1");
    EXPECT_TRUE(posts()[2].says("\"initialize\""));
}

TEST_F(HttpOpenerTest, ReportsTheFaultOfTheNewTransportWhenBothFail) {
    fixture.client->posts.push_back(status_reply(404));
    fixture.client->posts.push_back(status_reply(404));

    const auto opened = open();

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().http_status, 404);
    EXPECT_EQ(fixture.client->seen_by("GET").size(), 1U);
}

TEST_F(HttpOpenerTest, UsesTheOldTransportAtOnceIfConfigured) {
    transport = HttpTransport::sse;
    fixture.client->posts.push_back(status_reply(202));
    fixture.client->gets.push_back(old_stream());

    ASSERT_TRUE(open());

    EXPECT_EQ(fixture.client->seen[0].method, "GET");
    EXPECT_TRUE(fixture.client->seen[0].has_line("X-Key: k"));
}

TEST_F(HttpOpenerTest, NeverTriesTheOldTransportIfConfiguredSo) {
    transport = HttpTransport::streamable;
    fixture.client->posts.push_back(status_reply(404));
    fixture.client->posts.push_back(status_reply(405));

    EXPECT_FALSE(open());

    EXPECT_TRUE(fixture.client->seen_by("GET").empty());
}

TEST_F(HttpOpenerTest, FailsWhenTheServerRejectsTheInitializedNotification) {
    fixture.client->posts.push_back(initialized());
    fixture.client->message_reply = status_reply(500);

    const auto opened = open({.known_era = mcp::Era::legacy});

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, Kind::not_connected);
}

}  // namespace
}  // namespace holdfast::downstream::testing
