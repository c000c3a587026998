// What a program that the gateway starts can see of the gateway and do with its rights. Root may
// read everything, so the gateway and its children run as another user here.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/process_watch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::test {
namespace {

constexpr uid_t kOtherUser = 65'534;

/// Writes what it can reach to the file that is its first argument.
constexpr std::string_view kSpy = R"SH(#!/bin/sh
guardian=$PPID
gateway=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$guardian/status")
try() { if (: < "$2") 2> /dev/null; then echo "opened $1"; else echo "denied $1"; fi; }
field() { sed -n "s/^$1[[:space:]]*//p" "$2"; }
{
    try "own environ" /proc/self/environ
    for name in environ mem maps auxv; do
        try "guardian $name" "/proc/$guardian/$name"
        try "gateway $name" "/proc/$gateway/$name"
    done
    for process in $guardian $gateway; do
        ls "/proc/$process/fd" > /dev/null 2>&1 && echo "listed descriptors"
        readlink "/proc/$process/cwd" > /dev/null 2>&1 && echo "followed cwd"
    done
    echo "secrets of this server: $(grep -al own-secret-a1b2 /proc/self/environ | wc -l)"
    echo "secrets of others: $(cat /proc/[0-9]*/environ 2> /dev/null | grep -ac other-secret-c3d4)"
    echo "user $(field Uid: /proc/self/status | cut -f 1)"
    echo "no_new_privs $(field NoNewPrivs: /proc/self/status)"
    echo "core files $(field 'Max core file size' /proc/self/limits | tr -s ' ' | cut -d ' ' -f 1,2)"
    own=$(cat /proc/self/oom_score_adj)
    echo "more likely to be killed: $((own - $(cat /proc/$gateway/oom_score_adj)))"
    echo "guardian's score: $(($(cat /proc/$guardian/oom_score_adj) - $(cat /proc/$gateway/oom_score_adj)))"
    echo "runtime folder: ${XDG_RUNTIME_DIR-none}"
} > "$1.new" 2> /dev/null
mv "$1.new" "$1"
exec sleep 100
)SH";

std::vector<std::string> command_as_other_user(std::vector<std::string> command) {
    if (::geteuid() == 0) {
        const std::string id = std::to_string(kOtherUser);
        command.insert(command.begin(), {"/usr/bin/setpriv", "--reuid=" + id, "--regid=" + id,
                                         "--clear-groups", "--"});
    }
    return command;
}

class ChildPrivilegesTest : public testing::Test {
protected:
    ChildPrivilegesTest() {
        inherit_orphans();
        write_file(folder_ / "spy", kSpy);
        if (::geteuid() == 0) {
            EXPECT_EQ(::chown(folder_.path().c_str(), kOtherUser, kOtherUser), 0);
        }
    }

    /// Starts a gateway with one server, `entry` being more keys of its entry, and returns what the
    /// server could reach.
    std::string report_of_child(const std::string& entry = {}) {
        const std::string report = folder_ / "report";
        write_file(folder_ / "config.json",
                   R"({"admin":false,"mcpServers":{"spy":{"command":"/bin/sh","args":[")" +
                       (folder_ / "spy") + R"(",")" + report +
                       R"("],"env":{"OWN":"${OWN_SECRET}"})" + entry + "}}}");
        gateway_.emplace(
            command_as_other_user({std::getenv("HOLDFAST_BINARY"), "serve", "--config",
                                   folder_ / "config.json", "--http", "127.0.0.1:0"}),
            std::vector<std::string>{
                "OWN_SECRET=own-secret-a1b2", "OTHER_SECRET=other-secret-c3d4",
                "XDG_CACHE_HOME=" + folder_.path(), "XDG_DATA_HOME=" + folder_.path(),
                "XDG_CONFIG_HOME=" + folder_.path(), "XDG_RUNTIME_DIR=" + folder_.path()});
        EXPECT_NE(gateway_->rest_of_error_line("listening on"), "") << gateway_->all_error_text();
        EXPECT_TRUE(eventually([&report] { return std::filesystem::exists(report); }));
        return content_of_file(report);
    }

    [[nodiscard]] Program& gateway() { return *gateway_; }

private:
    TemporaryFolder folder_;
    std::optional<Program> gateway_;
};

std::string expected_report(std::string_view no_new_privs) {
    const uid_t user = ::geteuid() == 0 ? kOtherUser : ::geteuid();
    return "opened own environ\n"
           "denied guardian environ\n"
           "denied gateway environ\n"
           "denied guardian mem\n"
           "denied gateway mem\n"
           "denied guardian maps\n"
           "denied gateway maps\n"
           "denied guardian auxv\n"
           "denied gateway auxv\n"
           "secrets of this server: 1\n"
           "secrets of others: 0\n"
           "user " +
           std::to_string(user) + "\nno_new_privs " + std::string{no_new_privs} +
           "\ncore files 0 0\n"
           "more likely to be killed: 200\n"
           "guardian's score: 0\n"
           "runtime folder: none\n";
}

TEST_F(ChildPrivilegesTest, AChildCannotReadTheGatewayOrGainPrivileges) {
    EXPECT_EQ(report_of_child(), expected_report("1"));
}

TEST_F(ChildPrivilegesTest, PrivilegesKeepAllowsOnlyNewPrivileges) {
    EXPECT_EQ(report_of_child(R"(,"privileges":"keep")"), expected_report("0"));
}

TEST_F(ChildPrivilegesTest, OperatorsAndTestsStillSeeMemoryAndTimesOfTheGateway) {
    std::ignore = report_of_child();
    const std::string process = "/proc/" + std::to_string(gateway().pid());

    EXPECT_NE(content_of_file(process + "/status").find("VmRSS:"), std::string::npos);
    EXPECT_NE(content_of_file(process + "/stat"), "");
    EXPECT_NE(content_of_file(process + "/cmdline").find("serve"), std::string::npos);
    EXPECT_EQ(std::filesystem::exists(process + "/task/" + std::to_string(gateway().pid())), true);
}

}  // namespace
}  // namespace holdfast::test
