// Configs in which a gateway is its own server, or the server of other gateways.

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/gateway_process.hpp"
#include "support/process_watch.hpp"
#include "support/program.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::test {
namespace {

const std::string& binary() {
    static const std::string path = std::getenv("HOLDFAST_BINARY");
    return path;
}

class OwnServerTest : public testing::Test {
protected:
    OwnServerTest() { inherit_orphans(); }

    /// A config with one server, which is a gateway with the config of that name.
    [[nodiscard]] std::string config_with_gateway(const std::string& name) const {
        return R"({"admin":false,"telemetry":{"store":false},"mcpServers":{"next":{"command":")" +
               binary() + R"(","args":["serve","--stdio","--config",")" + (folder_ / name) +
               R"("]}}})";
    }
    [[nodiscard]] std::vector<std::string> variables() const {
        return {"XDG_CACHE_HOME=" + folder_.path(), "XDG_DATA_HOME=" + folder_.path(),
                "XDG_CONFIG_HOME=" + folder_.path(), "XDG_RUNTIME_DIR=" + folder_.path()};
    }
    /// What `check` says about a config.
    [[nodiscard]] FinishedProcess check(const std::string& name) const {
        std::vector<std::string> command{"/usr/bin/env"};
        for (const std::string& variable : variables()) {
            command.push_back(variable);
        }
        command.insert(command.end(), {binary(), "check", "--config", folder_ / name});
        return run_process(command);
    }

    TemporaryFolder folder_;
};

TEST_F(OwnServerTest, AGatewayDoesNotStartItself) {
    write_file(folder_ / "1.json", config_with_gateway("1.json"));

    const FinishedProcess ran = check("1.json");

    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_NE(ran.out.find("the gateway would be its own server"), std::string::npos) << ran.out;
    EXPECT_TRUE(eventually([] { return has_no_descendant(); }));
}

TEST_F(OwnServerTest, FourGatewaysMayBeInAChainAndFiveMayNot) {
    for (int link = 1; link <= 4; ++link) {
        write_file(folder_ / (std::to_string(link) + ".json"),
                   config_with_gateway(std::to_string(link + 1) + ".json"));
    }
    write_file(folder_ / "5.json", R"({"admin":false,"mcpServers":{}})");

    EXPECT_EQ(check("2.json").exit_code, 0);  // 2, 3, 4 and 5
    Program gateway{{binary(), "serve", "--config", folder_ / "1.json", "--http", "127.0.0.1:0"},
                    variables()};

    EXPECT_NE(gateway.rest_of_error_line("listening on"), "") << gateway.all_error_text();
    EXPECT_TRUE(eventually([] { return descendants_of(::getpid()).size() >= 8; }));
    EXPECT_FALSE(
        eventually([] { return descendants_of(::getpid()).size() > 12; }, std::chrono::seconds{2}));
}

TEST_F(OwnServerTest, AGatewayRefusesItsOwnRequests) {
    write_file(folder_ / "config.json", R"({"admin":false,"mcpServers":{}})");
    Program gateway{
        {binary(), "serve", "--config", folder_ / "config.json", "--http", "127.0.0.1:0"},
        variables()};
    const std::string port = gateway.rest_of_error_line("listening on http://127.0.0.1:");
    ASSERT_NE(port, "") << gateway.all_error_text();

    write_file(folder_ / "config.json",
               R"({"admin":false,"mcpServers":{"me":{"url":"http://127.0.0.1:)" + port + R"("}}})");
    gateway.send(SIGHUP);

    EXPECT_NE(gateway.rest_of_error_line("This gateway is its own server"), "")
        << gateway.all_error_text();
}

}  // namespace
}  // namespace holdfast::test
