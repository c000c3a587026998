#include "front/agent_gate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::front {
namespace {

net::HttpRequest request_of(std::vector<net::HttpHeader> headers) {
    net::HttpRequest request{.method = "POST", .path = "/mcp"};
    for (const net::HttpHeader& header : headers) {
        request.headers.add(header.name, header.value);
    }
    return request;
}

int status_of(const AgentGate& gate, std::vector<net::HttpHeader> headers) {
    const auto reply = gate.refused(request_of(std::move(headers)));
    return reply ? reply->status : 0;
}

/// A peer of which the system says this.
struct KnownPeer final : net::ConnectionPeer {
    explicit KnownPeer(std::optional<uid_t> user) : user_(user) {}
    std::optional<net::PeerUser> user() override {
        return user_ ? std::optional{net::PeerUser{.user = *user_}} : std::nullopt;
    }
    std::optional<uid_t> user_;
};

struct HostCase {
    std::string_view host;
    bool passes;
};

TEST(AgentGateTest, AcceptsOnlyLoopbackNamesOnLoopback) {
    const AgentGate gate{{}};
    for (const auto& [host, passes] : std::vector<HostCase>{
             {"localhost", true},
             {"localhost:8080", true},
             {"LocalHost:8080", true},
             {"127.0.0.1", true},
             {"127.0.0.1:1", true},
             {"[::1]", true},
             {"[::1]:8080", true},
             {"::1", false},
             {"[::2]:8080", false},
             {"", false},
             {"evil.example", false},
             {"localhost.evil.example", false},
             {"evil.example:80#localhost", false},
             {"localhost@evil.example", false},
             {"127.0.0.1.evil.example", false},
         }) {
        EXPECT_EQ(status_of(gate, {{"Host", host}}), passes ? 0 : 403) << host;
    }
    EXPECT_EQ(status_of(gate, {}), 403);
}

TEST(AgentGateTest, AcceptsTheHostsOfTheConfigIgnoringCase) {
    const AgentGate gate{{.hosts = {"Box.Example"}}};

    EXPECT_EQ(status_of(gate, {{"Host", "box.example:99"}}), 0);
    EXPECT_EQ(status_of(gate, {{"Host", "BOX.EXAMPLE"}}), 0);
    EXPECT_EQ(status_of(gate, {{"Host", "localhost"}}), 0);
    EXPECT_EQ(status_of(gate, {{"Host", "other.example"}}), 403);
}

TEST(AgentGateTest, AcceptsAnyNameBeyondLoopbackUnlessTheConfigListsNames) {
    const AgentGate open{{.is_loopback = false}};
    const AgentGate named{{.is_loopback = false, .hosts = {"box.example"}}};

    EXPECT_EQ(status_of(open, {{"Host", "whatever.example"}}), 0);
    EXPECT_EQ(status_of(open, {}), 403);
    EXPECT_EQ(status_of(named, {{"Host", "box.example"}}), 0);
    EXPECT_EQ(status_of(named, {{"Host", "localhost"}}), 403);
}

TEST(AgentGateTest, AcceptsOnlyListedOriginsAndItsOwn) {
    const AgentGate gate{{.origins = {"https://app.example"}}};
    for (const auto& [origin, passes] : std::vector<HostCase>{
             {"https://app.example", true},
             {"http://localhost:7332", true},
             {"http://LOCALHOST:7332", true},
             {"https://localhost:7332", false},
             {"http://localhost:3000", false},
             {"http://localhost", false},
             {"http://127.0.0.1:7332", false},
             {"http://[::1]:7332", false},
             {"null", false},
             {"", false},
         }) {
        EXPECT_EQ(status_of(gate, {{"Host", "localhost:7332"}, {"Origin", origin}}),
                  passes ? 0 : 403)
            << origin;
    }
}

TEST(AgentGateTest, AcceptsPagesOfThisMachineIfTheConfigSaysSo) {
    const AgentGate gate{{.origins = {"https://app.example"}, .admits_local_pages = true}};
    for (const auto& [origin, passes] : std::vector<HostCase>{
             {"http://localhost:3000", true},
             {"http://LOCALHOST", true},
             {"https://127.0.0.1:1", true},
             {"http://[::1]:5", true},
             {"https://app.example", true},
             {"https://app.example:444", false},
             {"http://app.example", false},
             {"https://evil.example", false},
             {"http://localhost.evil.example", false},
             {"http://localhost:80:evil.example", false},
             {"localhost", false},
             {"null", false},
             {"", false},
         }) {
        EXPECT_EQ(status_of(gate, {{"Host", "localhost"}, {"Origin", origin}}), passes ? 0 : 403)
            << origin;
    }
}

TEST(AgentGateTest, ReturnsTheAllowedOrigin) {
    const AgentGate gate{{.origins = {"https://app.example"}, .admits_local_pages = true}};

    EXPECT_EQ(gate.allowed_origin(request_of({{"Origin", "https://app.example"}})),
              "https://app.example");
    EXPECT_EQ(gate.allowed_origin(request_of({{"origin", "http://localhost:1"}})),
              "http://localhost:1");
    EXPECT_FALSE(gate.allowed_origin(request_of({{"Origin", "https://evil.example"}})));
    EXPECT_FALSE(gate.allowed_origin(request_of({{"Host", "localhost"}})));
}

TEST(AgentGateTest, RejectsUnlistedOriginsBeyondLoopback) {
    const AgentGate gate{
        {.is_loopback = false, .origins = {"https://app.example"}, .admits_local_pages = true}};

    EXPECT_EQ(status_of(gate, {{"Host", "x"}, {"Origin", "http://x"}}), 403);
    EXPECT_EQ(status_of(gate, {{"Host", "x"}, {"Origin", "http://localhost"}}), 403);
    EXPECT_EQ(status_of(gate, {{"Host", "x"}, {"Origin", "https://app.example"}}), 0);
}

TEST(AgentGateTest, AdmitsOnlyKnownUsersWithoutAToken) {
    const AgentGate gate{{.local = base::LocalAccess{.own = 7, .others = {{8, "bob"}}}}};
    const auto answer_to = [&gate](std::optional<uid_t> user) {
        KnownPeer peer{user};
        net::HttpRequest request = request_of({{"Host", "localhost"}});
        request.peer = &peer;
        const auto reply = gate.refused(request);
        return reply ? std::to_string(reply->status) + reply->headers : gate.principal_of(request);
    };

    EXPECT_EQ(answer_to(7), "local");
    EXPECT_EQ(answer_to(0), "local");
    EXPECT_EQ(answer_to(8), "local/bob");
    EXPECT_EQ(answer_to(9), "403");
    EXPECT_EQ(answer_to(std::nullopt), "403");
}

TEST(AgentGateTest, AsksNobodyForTheirUserIfTokensAreConfigured) {
    const AgentGate gate{{.tokens = {{.principal = "ada", .token = "s3cret"}},
                          .local = base::LocalAccess{.own = 7}}};

    EXPECT_EQ(status_of(gate, {{"Host", "localhost"}, {"Authorization", "Bearer s3cret"}}), 0);
    EXPECT_EQ(status_of(gate, {{"Host", "localhost"}}), 401);
}

TEST(AgentGateTest, RequiresATokenOnlyIfTokensAreConfigured) {
    const AgentGate open{{}};
    const AgentGate closed{{.tokens = {{.principal = "ada", .token = "s3cret"}}}};

    EXPECT_EQ(open.principal_of(request_of({{"Authorization", "Bearer s3cret"}})), "anonymous");
    const auto reply = closed.refused(request_of({{"Host", "localhost"}}));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 401);
    EXPECT_EQ(reply->headers, "WWW-Authenticate: Bearer\r\n");
    EXPECT_EQ(reply->body.find("s3cret"), std::string::npos);
}

TEST(AgentGateTest, ComparesTheWholeToken) {
    const AgentGate gate{{.tokens = {{.principal = "ada", .token = "s3cret"}}}};
    for (const auto& [shown, passes] : std::vector<HostCase>{
             {"Bearer s3cret", true},
             {"bearer s3cret", true},
             {"BEARER   s3cret", true},
             {"Bearer s3cre", false},
             {"Bearer s3cret1", false},
             {"Bearer S3cret", false},
             {"Bearer x3cret", false},
             {"Bearer s3crex", false},
             {"Bearer", false},
             {"Bearer ", false},
             {"Basic s3cret", false},
             {"s3cret", false},
             {"", false},
         }) {
        EXPECT_EQ(status_of(gate, {{"Host", "localhost"}, {"Authorization", shown}}),
                  passes ? 0 : 401)
            << shown;
    }
    EXPECT_EQ(status_of(gate, {{"Host", "localhost"},
                               {"Authorization", std::string_view{"Bearer s3cret\0", 14}}}),
              401);
}

TEST(AgentGateTest, IdentifiesPrincipalsByTheirTokens) {
    const AgentGate gate{
        {.tokens = {{.principal = "ada", .token = "aaaa"}, {.principal = "bob", .token = "aaab"}}}};

    EXPECT_EQ(gate.principal_of(request_of({{"authorization", "Bearer aaaa"}})), "ada");
    EXPECT_EQ(gate.principal_of(request_of({{"authorization", "Bearer aaab"}})), "bob");
}

TEST(AgentGateTest, ChecksTheSourceBeforeTheToken) {
    const AgentGate gate{{.tokens = {{.principal = "ada", .token = "aaaa"}}}};

    EXPECT_EQ(status_of(gate, {{"Host", "evil.example"}}), 403);
    EXPECT_EQ(status_of(gate, {{"Host", "localhost"}, {"Origin", "http://evil.example"}}), 403);
}

TEST(AgentGateTest, CanCheckTheSourceWithoutTheToken) {
    const AgentGate gate{{.tokens = {{.principal = "ada", .token = "aaaa"}}}};
    const auto status_of_source = [&gate](std::vector<net::HttpHeader> headers) {
        const auto reply = gate.refused_source(request_of(std::move(headers)));
        return reply ? reply->status : 0;
    };

    EXPECT_EQ(status_of_source({{"Host", "localhost"}}), 0);
    EXPECT_EQ(status_of_source({{"Host", "localhost"}, {"Origin", "http://localhost"}}), 0);
    EXPECT_EQ(status_of_source({{"Host", "evil.example"}}), 403);
    EXPECT_EQ(status_of_source({{"Host", "localhost"}, {"Origin", "http://evil.example"}}), 403);
}

}  // namespace
}  // namespace holdfast::front
