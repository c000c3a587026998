// What a child writes to its standard error is for operators. Agents only learn how it ended.

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 1;
constexpr std::string_view kSecret = "hunter2";

/// A server that ends at its first call with a log line, and at every later start too.
constexpr std::string_view kServer = R"sh(
[ -e "$FLAG" ] && { echo "bad password hunter2" >&2; exit 3; }
while read -r line; do
    id=${line#*\"id\":}
    id=${id%%,*}
    case "$line" in
    *server/discover*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
    *initialize\"*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"sh\",\"version\":\"1\"}}}" ;;
    *tools/list*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"boom\",\"inputSchema\":{\"type\":\"object\"}}]}}" ;;
    *tools/call*) : > "$FLAG"; echo "bad password hunter2" >&2; exit 3 ;;
    esac
done
)sh";

class ChildLog : public testing::TestWithParam<AgentLeg> {
protected:
    void SetUp() override {
        const std::string script = scene_.scene().folder() / "server.sh";
        write_file(script, kServer);
        scene_.scene().add_server("box", R"({"command":"/bin/sh","args":[")" + script +
                                             R"("],"env":{"FLAG":")" +
                                             (scene_.scene().folder() / "flag") + R"("}})");
        scene_.scene().add_section(R"("admin":{"http":"127.0.0.1:0"})");
        scene_.start(GetParam(), kRate, "boom");
    }

    Acceptance scene_;
};

TEST_P(ChildLog, ReachesOperatorsAndNoAgent) {
    const std::string lost = scene_.answer("boom");
    const std::string why = scene_.logged("server \"box\" is not connected: ");
    const std::string refused = scene_.answer("boom");
    const std::string status = scene_.answer("gateway_status");
    const std::string unknown = scene_.answer("no_such_tool");

    EXPECT_TRUE(has(text_in(lost), "the program ended with code 3")) << lost;
    EXPECT_TRUE(has(text_in(refused), "the program ended with code 3")) << refused;
    EXPECT_TRUE(has(status, "the program ended with code 3")) << status;
    for (const std::string* answer : {&lost, &refused, &status, &unknown}) {
        EXPECT_FALSE(has(*answer, kSecret)) << *answer;
    }
    EXPECT_TRUE(has(why, kSecret)) << why;
    const std::string seen =
        http_exchange(scene_.scene().admin_port(), {.method = "GET", .path = "/api/status"}).body();
    EXPECT_TRUE(has(seen, "it logged: bad password hunter2")) << seen;
}

INSTANTIATE_TEST_SUITE_P(Agents, ChildLog,
                         testing::Values(kAgentLegs[0], kAgentLegs[1], kAgentLegs[4]), leg_name);

}  // namespace
}  // namespace holdfast::test
