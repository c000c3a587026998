#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "end_to_end/gateway_process.hpp"
#include "support/process_watch.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// A legacy agent.
class Agent final {
public:
    explicit Agent(const GatewayProcess& gateway) : gateway_(gateway) {
        const std::string response = gateway.post(
            R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
            R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})",
            {});
        const std::string mark = "Mcp-Session-Id: ";
        const std::size_t begin = response.find(mark);
        EXPECT_TRUE(response.starts_with("HTTP/1.1 200")) << response;
        EXPECT_NE(begin, std::string::npos) << response;
        if (begin != std::string::npos) {
            headers_ = response.substr(begin, response.find("\r\n", begin) + 2 - begin) +
                       "MCP-Protocol-Version: 2025-11-25\r\n";
        }
    }

    [[nodiscard]] std::string tools() const {
        // A slow answer is the last event of a stream.
        HttpExchange exchange = http_exchange(
            gateway_.port(),
            {.headers = headers_, .body = R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"});
        std::string last;
        for (std::string next = exchange.take_message(); !next.empty();
             next = exchange.take_message()) {
            last = std::move(next);
        }
        return last;
    }

private:
    const GatewayProcess& gateway_;
    std::string headers_;
};

class ListingCacheTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_NE(binary_, "") << "HOLDFAST_BINARY must be set; CTest does so.";
        set_config({});
    }

    void set_config(const std::string& more) const {
        write_file(config_, R"({"admin":false,)" + more +
                                R"("mcpServers":{"fixture":{"command":")" + server_ + R"("}}})");
    }

    void set_server(const std::string& command) const {
        write_file(server_, "#!/bin/sh\nexec " + command + "\n");
        fs::permissions(server_, fs::perms::owner_all);
    }

    GatewayProcess start() const {
        return {binary_, config_, {"XDG_CACHE_HOME=" + folder_.path()}};
    }

    /// Runs the gateway once and returns the tools that agents saw.
    std::string tools_of_first_run() const {
        const fs::path build = fs::path{binary_}.parent_path();
        set_server((build / "tests/support/fixture_server/holdfast_fixture_server").string() +
                   " --stdio --era legacy --lifetime-seconds 120");
        GatewayProcess gateway = start();
        const Agent agent{gateway};
        std::string tools;
        EXPECT_TRUE(eventually([&] {
            tools = agent.tools();
            return tools.find("inputSchema") != std::string::npos;
        })) << tools;
        EXPECT_EQ(gateway.stop(), 0);
        return tools;
    }

    const std::string binary_ = from_environment("HOLDFAST_BINARY");
    const TemporaryFolder folder_;
    const std::string server_ = folder_ / "server";
    const std::string config_ = folder_ / "config.json";
};

TEST_F(ListingCacheTest, ShowsTheToolsOfTheLastRunWhileAServerHangs) {
    // A list that waits for the hanging server comes too late.
    set_config(R"("surface":{"firstListWait":"1h"},)");
    const std::string tools = tools_of_first_run();
    set_server("sleep 100");

    GatewayProcess gateway = start();
    const Agent agent{gateway};

    EXPECT_EQ(agent.tools(), tools);
    EXPECT_EQ(gateway.stop(), 0);
}

TEST_F(ListingCacheTest, StoresTheListsAndTheEraInTheCacheOfTheUser) {
    std::ignore = tools_of_first_run();

    bool has_tools = false;
    bool has_era = false;
    for (const auto& file : fs::directory_iterator{folder_ / "holdfast/catalogue"}) {
        const std::string content = content_of_file(file.path().string());
        has_tools |= content.starts_with("holdfast-listing 1 tools ");
        has_era |= content.starts_with("holdfast-era 1 legacy ");
    }
    EXPECT_TRUE(has_tools);
    EXPECT_TRUE(has_era);
}

TEST_F(ListingCacheTest, ShowsNothingOfAServerThatHasAnotherCommand) {
    std::ignore = tools_of_first_run();
    set_server("sleep 100");
    write_file(config_, R"({"admin":false,"mcpServers":{"fixture":{"command":")" + server_ +
                            R"(","args":["other"]}}})");

    GatewayProcess gateway = start();
    const Agent agent{gateway};

    EXPECT_NE(agent.tools().find(R"("tools":[])"), std::string::npos);
    EXPECT_EQ(gateway.stop(), 0);
}

}  // namespace
}  // namespace holdfast::test
