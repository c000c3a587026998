// Which users of this machine can talk to a gateway without tokens. The gateway runs as one user
// and the requests come from others, so this needs root.

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/process_watch.hpp"
#include "support/program.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::test {
namespace {

constexpr uid_t kOwner = 65'534;
constexpr uid_t kStranger = 65'533;
constexpr uid_t kRoot = 0;

/// The command as another user. Only root can do that.
std::vector<std::string> as_user(uid_t user, std::vector<std::string> command) {
    const std::string id = std::to_string(user);
    command.insert(command.begin(),
                   {"/usr/bin/setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--"});
    return command;
}

/// Sends one request with bash and prints the answer.
constexpr std::string_view kAsk = R"SH(
exec 3<> "/dev/tcp/127.0.0.1/$1" || exit 9
printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nHoldfast-Control: 1\r\nConnection: close\r\n' "$2" "$3" >&3
printf 'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n' >&3
printf 'Content-Length: %s\r\n\r\n%s' "${#4}" "$4" >&3
timeout 20 cat <&3
)SH";

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})";

/// A server that tries to control its gateway with the gateway's own program.
constexpr std::string_view kIntruder = R"SH(#!/bin/sh
"$HOLDFAST" status --pid "$GATEWAY" > "$REPORT.new" 2>&1
echo "exit $?" >> "$REPORT.new"
mv "$REPORT.new" "$REPORT"
exec sleep 100
)SH";

class LocalUsersTest : public testing::Test {
protected:
    void SetUp() override {
        inherit_orphans();
        ASSERT_EQ(::geteuid(), 0U) << "Run this test as root: it changes its user.";
        ASSERT_EQ(::chown(folder_.path().c_str(), kOwner, kOwner), 0);
    }

    void start(const std::string& config) {
        write_file(folder_ / "config.json", config);
        gateway_.emplace(as_user(kOwner, {std::getenv("HOLDFAST_BINARY"), "serve", "--config",
                                          folder_ / "config.json", "--http", "127.0.0.1:0"}),
                         std::vector<std::string>{"XDG_CACHE_HOME=" + folder_.path(),
                                                  "XDG_DATA_HOME=" + folder_.path(),
                                                  "XDG_CONFIG_HOME=" + folder_.path(),
                                                  "XDG_RUNTIME_DIR=" + folder_.path(),
                                                  "REPORT=" + (folder_ / "report")});
        port_ = port_in(gateway_->rest_of_error_line("listening on http://127.0.0.1:"));
        admin_port_ = port_in(gateway_->rest_of_error_line("status page at http://127.0.0.1:"));
        ASSERT_NE(port_, "") << gateway_->all_error_text();
    }

    /// The answer to a request of a user: its status line and all that follows.
    [[nodiscard]] std::string ask(uid_t user, const std::string& port, std::string_view method,
                                  std::string_view path, std::string_view body) const {
        const FinishedProcess asked =
            run_process(as_user(user, {"/bin/bash", "-c", std::string{kAsk}, "ask", port,
                                       std::string{method}, std::string{path}, std::string{body}}));
        EXPECT_EQ(asked.errors, "");
        return asked.out;
    }
    [[nodiscard]] std::string status_of_agent(uid_t user) const {
        return ask(user, port_, "POST", "/mcp", kInitialize).substr(9, 3);
    }
    [[nodiscard]] std::string status_of_operator(uid_t user, std::string_view method,
                                                 std::string_view path) const {
        return ask(user, admin_port_, method, path, "").substr(9, 3);
    }

    TemporaryFolder folder_;
    std::optional<Program> gateway_;
    std::string port_;
    std::string admin_port_;

private:
    static std::string port_in(const std::string& text) {
        return text.substr(0, text.find_first_not_of("0123456789"));
    }
};

TEST_F(LocalUsersTest, OnlyTheGatewaysUserAndRootMayConnectWithoutATokenByDefault) {
    start(R"({"admin":{"http":"127.0.0.1:0"},"mcpServers":{}})");

    EXPECT_EQ(status_of_agent(kOwner), "200");
    EXPECT_EQ(status_of_agent(kRoot), "200");
    const std::string refused = ask(kStranger, port_, "POST", "/mcp", kInitialize);
    EXPECT_EQ(refused.substr(9, 3), "403");
    EXPECT_EQ(refused.find("WWW-Authenticate"), std::string::npos);
    EXPECT_NE(refused.find("belongs to another user"), std::string::npos) << refused;
    EXPECT_EQ(ask(kStranger, port_, "GET", "/ws", "").substr(9, 3), "403");
}

TEST_F(LocalUsersTest, OnlyTheGatewaysUserAndRootMayControlIt) {
    start(R"({"admin":{"http":"127.0.0.1:0"},"mcpServers":{}})");

    EXPECT_EQ(status_of_operator(kOwner, "GET", "/api/status"), "200");
    EXPECT_EQ(status_of_operator(kRoot, "GET", "/api/status"), "200");
    EXPECT_EQ(status_of_operator(kStranger, "GET", "/api/status"), "403");
    EXPECT_EQ(status_of_operator(kStranger, "GET", "/metrics"), "403");
    EXPECT_EQ(status_of_operator(kStranger, "POST", "/api/reload"), "403");
    EXPECT_EQ(status_of_operator(kStranger, "GET", "/healthz"), "200");
    EXPECT_EQ(status_of_operator(kOwner, "POST", "/api/reload"), "200");
}

TEST_F(LocalUsersTest, TheConfigAdmitsOthers) {
    start(R"({"admin":{"http":"127.0.0.1:0"},"mcpServers":{},"agents":{"local":["user:65533"]}})");

    EXPECT_EQ(status_of_agent(kOwner), "200");
    EXPECT_EQ(status_of_agent(kStranger), "200");
    EXPECT_EQ(status_of_agent(65'532), "403");
    EXPECT_EQ(status_of_operator(kStranger, "GET", "/api/status"), "403");
}

TEST_F(LocalUsersTest, TheConfigAdmitsEverybodyOrNobody) {
    start(R"({"admin":{"http":"127.0.0.1:0"},"mcpServers":{},"agents":{"local":"any"}})");
    EXPECT_EQ(status_of_agent(kStranger), "200");

    gateway_.reset();
    start(R"({"admin":{"http":"127.0.0.1:0"},"mcpServers":{},"agents":{"local":"none"}})");
    EXPECT_EQ(status_of_agent(kOwner), "403");
    EXPECT_EQ(status_of_agent(kRoot), "403");
}

TEST_F(LocalUsersTest, AServerCannotControlTheGatewayThatStartedIt) {
    write_file(folder_ / "intruder", kIntruder);
    start(R"({"admin":{"http":"127.0.0.1:0"},"mcpServers":{"intruder":{"command":"/bin/sh",)"
          R"("args":["-c","export GATEWAY=$(sed -n 's/^PPid:[[:space:]]*//p' )"
          R"(/proc/$PPID/status); exec /bin/sh )" +
          (folder_ / "intruder") +
          R"("],"env":{"REPORT":"${REPORT}","XDG_RUNTIME_DIR":"${XDG_RUNTIME_DIR}","HOLDFAST":")" +
          std::string{std::getenv("HOLDFAST_BINARY")} + R"("}}}})");

    const std::string report = folder_ / "report";
    ASSERT_TRUE(eventually([&report] { return std::filesystem::exists(report); }));

    const std::string said = content_of_file(report);
    EXPECT_NE(said.find("Programs that the gateway started must not control it."),
              std::string::npos)
        << said;
    EXPECT_EQ(said.find("exit 0"), std::string::npos) << said;
    const FinishedProcess operator_command =
        run_process(as_user(kOwner, {"/usr/bin/env", "XDG_RUNTIME_DIR=" + folder_.path(),
                                     std::getenv("HOLDFAST_BINARY"), "status", "--pid",
                                     std::to_string(gateway_->pid())}));
    EXPECT_EQ(operator_command.out.find("must not"), std::string::npos);
    EXPECT_NE(operator_command.out.find("intruder"), std::string::npos)
        << operator_command.out << operator_command.errors;
}

}  // namespace
}  // namespace holdfast::test
