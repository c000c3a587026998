#include "admin/admin_gate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::admin {
namespace {

using Headers = std::vector<net::HttpHeader>;

int status_of(const admin::AdminGate& gate, std::string_view method, std::string_view path,
              const Headers& headers) {
    net::HttpRequest request{.method = method, .target = path, .path = path};
    for (const net::HttpHeader& header : headers) {
        request.headers.add(header.name, header.value);
    }
    const auto reply = gate.refused(request);
    return reply ? reply->status : 0;
}

/// A peer of which the system says this.
struct KnownPeer final : net::ConnectionPeer {
    explicit KnownPeer(std::optional<net::PeerUser> known) : known_(known) {}
    std::optional<net::PeerUser> user() override { return known_; }
    std::optional<net::PeerUser> known_;
};

int status_for(const admin::AdminGate& gate, std::string_view path,
               std::optional<net::PeerUser> user) {
    KnownPeer peer{user};
    net::HttpRequest request{.method = "GET", .target = path, .path = path, .peer = &peer};
    request.headers.add("Host", "localhost");
    const auto reply = gate.refused(request);
    return reply ? reply->status : 0;
}

TEST(AdminGateTest, AdmitsOnlyItsUserAndRootWithoutAToken) {
    const admin::AdminGate gate{{.only_user = 7}};

    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 7}}), 0);
    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 0}}), 0);
    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 8}}), 403);
    EXPECT_EQ(status_for(gate, "/api/status", std::nullopt), 403);
    EXPECT_EQ(status_for(gate, "/healthz", {{.user = 8}}), 0);
}

TEST(AdminGateTest, RejectsProgramsThatTheGatewayStarted) {
    const admin::AdminGate gate{
        {.only_user = 7, .is_own_child = [](pid_t process) { return process == 42; }}};

    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 7, .process = 42}}), 403);
    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 0, .process = 42}}), 0);
    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 7, .process = 43}}), 0);
}

TEST(AdminGateTest, RejectsProgramsOfAGatewayThatRunsAsRoot) {
    const admin::AdminGate gate{
        {.only_user = 0, .is_own_child = [](pid_t process) { return process == 42; }}};

    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 0, .process = 42}}), 403);
    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 0, .process = 43}}), 0);
}

TEST(AdminGateTest, ATokenStandsForTheUser) {
    const admin::AdminGate gate{{.token = "secret-of-admin", .only_user = 7}};

    EXPECT_EQ(status_for(gate, "/api/status", {{.user = 8}}), 401);
}

TEST(AdminGateTest, AcceptsOnlyLoopbackNamesOnLoopback) {
    const admin::AdminGate gate{{}};

    for (const std::string_view host : {"localhost", "127.0.0.1:7333", "127.0.0.2:7333",
                                        "127.255.0.9", "[::1]:7333", "LOCALHOST:1"}) {
        EXPECT_EQ(status_of(gate, "GET", "/api/status", {{"Host", host}}), 0) << host;
    }
    for (const std::string_view host : {"evil.example", "127.0.0.1.evil.example", "127.evil",
                                        "128.0.0.1", "10.0.0.1:7333", "[::2]", "::1", ""}) {
        EXPECT_EQ(status_of(gate, "GET", "/api/status", {{"Host", host}}), 403) << host;
    }
    EXPECT_EQ(status_of(gate, "GET", "/api/status", {}), 403);
    EXPECT_EQ(status_of(gate, "GET", "/", {{"Host", "localhost"}, {"Host", "localhost"}}), 403);
}

TEST(AdminGateTest, AcceptsOnlyItsOwnOrigin) {
    const admin::AdminGate gate{{}};
    const net::HttpHeader host{"Host", "127.0.0.1:7333"};

    EXPECT_EQ(status_of(gate, "GET", "/api/status", {host, {"Origin", "http://127.0.0.1:7333"}}),
              0);
    for (const std::string_view origin :
         {"http://127.0.0.1:9999", "http://localhost:7333", "https://evil.example", "null"}) {
        EXPECT_EQ(status_of(gate, "GET", "/api/status", {host, {"Origin", origin}}), 403) << origin;
    }
}

TEST(AdminGateTest, RequiresTheControlHeaderForChanges) {
    const admin::AdminGate gate{{}};
    const net::HttpHeader host{"Host", "localhost"};

    EXPECT_EQ(status_of(gate, "POST", "/api/drain", {host}), 403);
    EXPECT_EQ(status_of(gate, "POST", "/api/drain", {host, {"Holdfast-Control", "0"}}), 403);
    EXPECT_EQ(status_of(gate, "DELETE", "/api/drain", {host}), 403);
    EXPECT_EQ(status_of(gate, "OPTIONS", "/api/drain", {host}), 403);
    EXPECT_EQ(status_of(gate, "POST", "/api/drain", {host, {"Holdfast-Control", "1"}}), 0);
}

TEST(AdminGateTest, RequiresTheTokenExceptForThePageAndHealth) {
    const admin::AdminGate gate{{.is_loopback = false, .token = "secret"}};
    const net::HttpHeader host{"Host", "any.example"};

    EXPECT_EQ(status_of(gate, "GET", "/api/status", {host}), 401);
    EXPECT_EQ(status_of(gate, "GET", "/metrics", {host}), 401);
    EXPECT_EQ(status_of(gate, "GET", "/api/status", {host, {"Authorization", "Bearer other"}}),
              401);
    EXPECT_EQ(status_of(gate, "POST", "/api/drain", {host, {"Holdfast-Control", "1"}}), 401);
    EXPECT_EQ(status_of(gate, "GET", "/api/status", {host, {"Authorization", "Bearer secret"}}), 0);
    for (const std::string_view path : {"/ui", "/ui/app.js", "/healthz", "/readyz"}) {
        EXPECT_EQ(status_of(gate, "GET", path, {host}), 0) << path;
    }
}

}  // namespace
}  // namespace holdfast::admin
