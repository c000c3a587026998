// Tokens that change while the gateway runs: each takes effect with the next request, and an agent
// that has lost its token loses its open streams.

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "end_to_end/gateway_process.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {
namespace {

constexpr const char* kAda = "the-token-of-ada";
constexpr const char* kBob = "the-token-of-bob";

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})";
const std::string kListen =
    R"({"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"_meta":{)"
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}})";

class RevocationTest : public testing::Test {
protected:
    void start(const std::string& agents) {
        write(agents);
        const char* binary = std::getenv("HOLDFAST_BINARY");
        gateway_ = std::make_unique<GatewayProcess>(
            binary == nullptr ? "" : binary, folder_ / "config.json",
            std::vector<std::string>{"XDG_RUNTIME_DIR=" + folder_.path(),
                                     "XDG_CACHE_HOME=" + folder_.path(),
                                     "XDG_DATA_HOME=" + folder_.path()});
        ASSERT_NE(gateway_->port(), 0);
    }
    void write(const std::string& agents) const {
        write_file(folder_ / "config.json",
                   R"({"admin":{"http":"127.0.0.1:0"},"telemetry":{"store":false},)"
                   R"("mcpServers":{},"agents":)" +
                       agents + "}");
    }
    void reload(const std::string& agents) {
        write(agents);
        gateway_->program().send(SIGHUP);
        ASSERT_NE(gateway_->program().rest_of_error_line("config reloaded"), "");
    }
    [[nodiscard]] static std::string tokens(const std::string& members) {
        return R"({"tokens":{)" + members + "}}";
    }
    [[nodiscard]] static std::string bearer(const std::string& token) {
        return "Authorization: Bearer " + token + "\r\n";
    }
    [[nodiscard]] HttpExchange initialized(const std::string& headers) const {
        return http_exchange(gateway_->port(), {.headers = headers, .body = kInitialize});
    }
    /// Opens the stream of a session.
    [[nodiscard]] std::unique_ptr<HttpExchange> stream(const std::string& headers) const {
        const std::string session = initialized(headers).header("Mcp-Session-Id");
        EXPECT_NE(session, "");
        return begun({.method = "GET", .headers = headers + "Mcp-Session-Id: " + session + "\r\n"});
    }
    [[nodiscard]] std::unique_ptr<HttpExchange> listen(const std::string& headers) const {
        return begun({.headers = headers + "MCP-Protocol-Version: 2026-07-28\r\n"
                                           "Mcp-Method: subscriptions/listen\r\n",
                      .body = kListen});
    }

    TemporaryFolder folder_;
    std::unique_ptr<GatewayProcess> gateway_;

private:
    [[nodiscard]] std::unique_ptr<HttpExchange> begun(const HttpRequest& request) const {
        auto exchange =
            std::make_unique<HttpExchange>(gateway_->port(), http_text(gateway_->port(), request));
        while (exchange->status() == 0 && exchange->advance()) {
        }
        EXPECT_EQ(exchange->status(), 200) << exchange->head() << exchange->body();
        return exchange;
    }
};

TEST_F(RevocationTest, ARemovedAgentLosesItsStreamsAndOthersKeepTheirs) {
    start(tokens(R"("ada":"the-token-of-ada","bob":"the-token-of-bob")"));
    const auto ada_stream = stream(bearer(kAda));
    const auto ada_listen = listen(bearer(kAda));
    const auto bob_stream = stream(bearer(kBob));
    const auto bob_listen = listen(bearer(kBob));

    reload(tokens(R"("bob":"the-token-of-bob")"));

    EXPECT_TRUE(ada_stream->complete());
    EXPECT_TRUE(ada_listen->complete());
    EXPECT_EQ(initialized(bearer(kAda)).status(), 401);
    EXPECT_EQ(initialized(bearer(kBob)).status(), 200);
    EXPECT_FALSE(bob_stream->is_complete());
    reload(tokens(R"("carol":"the-token-of-carol")"));
    EXPECT_TRUE(bob_stream->complete());
    EXPECT_TRUE(bob_listen->complete());
}

TEST_F(RevocationTest, AReplacedTokenIsAnotherCredential) {
    start(tokens(R"("ada":"the-token-of-ada")"));
    const auto open = stream(bearer(kAda));

    reload(tokens(R"("ada":"another-token-of-ada")"));

    EXPECT_TRUE(open->complete());
    EXPECT_EQ(initialized(bearer(kAda)).status(), 401);
    EXPECT_EQ(initialized(bearer("another-token-of-ada")).status(), 200);
}

TEST_F(RevocationTest, TheFirstTokenEndsAccessWithoutOne) {
    start("{}");
    const auto open = stream("");

    reload(tokens(R"("ada":"the-token-of-ada")"));

    EXPECT_TRUE(open->complete());
    EXPECT_EQ(initialized("").status(), 401);
    reload(R"({"local":"none"})");
    EXPECT_EQ(initialized("").status(), 403);
    EXPECT_EQ(initialized(bearer(kAda)).status(), 403);
}

}  // namespace
}  // namespace holdfast::test
