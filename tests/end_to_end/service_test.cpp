// The gateway under a service manager: it reports when it is ready, and it answers calls in flight
// when it is stopped.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/run_process.hpp"

namespace holdfast::test {
namespace {

/// The socket of a service manager.
///
/// Thread-safety: none.
class ServiceManager final {
public:
    /// A path, or a name after `@`.
    explicit ServiceManager(std::string name)
        : name_(std::move(name)), descriptor_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        ::sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::ranges::copy(name_, address.sun_path);
        if (name_.starts_with('@')) {
            address.sun_path[0] = '\0';
        }
        const auto size_bytes =
            static_cast<::socklen_t>(offsetof(::sockaddr_un, sun_path) + name_.size());
        EXPECT_EQ(::bind(descriptor_, reinterpret_cast<::sockaddr*>(&address), size_bytes), 0);
    }
    ServiceManager(const ServiceManager&) = delete;
    ServiceManager& operator=(const ServiceManager&) = delete;
    ~ServiceManager() { ::close(descriptor_); }

    /// For the environment of the service.
    [[nodiscard]] std::string variable() const { return "NOTIFY_SOCKET=" + name_; }
    /// Returns the next notification; empty if none arrives in time.
    [[nodiscard]] std::string next_notice() const {
        std::string notice(1000, '\0');
        if (!is_readable(descriptor_, kPatience)) {
            return {};
        }
        const ::ssize_t size = ::recv(descriptor_, notice.data(), notice.size(), 0);
        notice.resize(static_cast<std::size_t>(std::max<::ssize_t>(size, 0)));
        return notice;
    }

private:
    std::string name_;
    int descriptor_;
};

/// A server whose tool "wait" creates a file when it is called, and answers when another file
/// exists.
std::string waiting_server(const TemporaryFolder& folder) {
    const std::string script = R"(while read -r line; do
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
case $line in
*'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"w","version":"1"}}' ;;
*'"tools/list"'*) result='{"tools":[{"name":"wait","inputSchema":{"type":"object"}}]}' ;;
*'"tools/call"'*) : > CALLED; until [ -e GO ]; do sleep 0.02; done; result='{"content":[{"type":"text","text":"done"}]}' ;;
*'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id"; continue ;;
*) continue ;;
esac
printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done)";
    std::string text = script;
    text.replace(text.find("CALLED"), 6, folder / "called");
    text.replace(text.find("GO"), 2, folder / "go");
    write_file(folder / "server.sh", text);
    return R"({"command":"sh","args":[")" + (folder / "server.sh") + R"("]})";
}

class ServiceTest : public testing::TestWithParam<bool> {};

TEST_P(ServiceTest, ReportsItsStateToTheServiceManager) {
    Scene scene;
    const bool is_abstract = GetParam();
    const ServiceManager manager{is_abstract ? "@holdfast-test-" + std::to_string(::getpid())
                                             : scene.folder() / "notify"};
    scene.add_fixture("one", kServerLegs[0]);

    ASSERT_TRUE(scene.start({}, {manager.variable()}));
    EXPECT_EQ(manager.next_notice(), "READY=1");

    scene.gateway().program().send(SIGHUP);
    EXPECT_TRUE(manager.next_notice().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    EXPECT_EQ(manager.next_notice(), "READY=1");

    EXPECT_EQ(scene.gateway().stop(), 0);
    EXPECT_EQ(manager.next_notice(), "STOPPING=1");
}

INSTANTIATE_TEST_SUITE_P(Sockets, ServiceTest, testing::Bool(),
                         [](const auto& about) { return about.param ? "Abstract" : "Path"; });

TEST(ServiceDrainTest, AnswersCallsInFlightBeforeItEnds) {
    Scene scene;
    const ServiceManager manager{scene.folder() / "notify"};
    scene.add_server("waiting", waiting_server(scene.folder()));
    scene.add_section(R"("admin":{"http":"127.0.0.1:0"})");
    ASSERT_TRUE(scene.start({"--drain", "60s"}, {manager.variable()}));
    ASSERT_EQ(manager.next_notice(), "READY=1");
    const char* binary = std::getenv("HOLDFAST_BINARY");
    Program caller{{binary == nullptr ? "" : binary, "call", "wait", "--url",
                    "http://127.0.0.1:" + std::to_string(scene.port()) + "/mcp"}};
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(scene.folder() / "called"); }));

    scene.gateway().program().send(SIGTERM);
    ASSERT_EQ(manager.next_notice(), "STOPPING=1");
    const FinishedProcess reload =
        run_process({"/usr/bin/env", "XDG_RUNTIME_DIR=" + scene.folder().path(),
                     binary == nullptr ? "" : binary, "reload"});
    EXPECT_NE(reload.exit_code, 0);
    EXPECT_NE(reload.errors.find("The gateway is stopping"), std::string::npos) << reload.errors;
    write_file(scene.folder() / "go", "");

    EXPECT_EQ(caller.wait(), 0) << caller.all_error_text();
    std::string answer;
    EXPECT_TRUE(caller.take_streams().read_into(answer));
    EXPECT_EQ(answer, "done\n");
    EXPECT_EQ(scene.gateway().program().wait(), 0);
}

TEST(ServiceStdioTest, DoesWithoutThePageIfItsAddressIsInUse) {
    Scene first;
    first.add_fixture("one", kServerLegs[0]);
    first.add_section(R"("admin":{"http":"127.0.0.1:0"})");
    ASSERT_TRUE(first.start({"--stdio"}));
    const std::string page = first.gateway().program().rest_of_error_line("status page at http://");
    const std::string address = page.substr(0, page.find('/'));
    ASSERT_NE(address, "");
    Scene second;
    second.add_fixture("one", kServerLegs[0]);
    second.add_section(R"("admin":{"http":")" + address + "\"}");

    ASSERT_TRUE(second.start({"--stdio"}));

    TestAgent agent = second.agent(kAgentLegs[0]);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("echo"));
    EXPECT_EQ(agent.call("echo", R"({"text":"here"})"), "here");
    EXPECT_EQ(second.gateway().stop(), 0);
    EXPECT_NE(second.gateway().program().all_error_text().find("page not started: " + address +
                                                               " is in use; continuing without it"),
              std::string::npos)
        << second.gateway().program().all_error_text();
    EXPECT_EQ(first.gateway().stop(), 0);
}

}  // namespace
}  // namespace holdfast::test
