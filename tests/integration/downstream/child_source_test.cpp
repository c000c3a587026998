#include "downstream/child_source.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "downstream/stream_opener.hpp"
#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "process/guardian.hpp"
#include "support/process_watch.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using OpenResult = resilience::Result<std::shared_ptr<Link>, CallFault>;

/// A legacy server in a few lines of shell: refuses the probe, completes the handshake, answers
/// every call except `test/die`, at which it exits.
constexpr std::string_view kServer = R"sh(
echo "started" >&2
while read -r line; do
    id=${line#*\"id\":}
    id=${id%%,*}
    case "$line" in
    *server/discover*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
    *initialize\"*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"sh\",\"version\":\"1\"}}}" ;;
    *test/die*) echo "about to die" >&2; exit 7 ;;
    *notifications/*) ;;
    *) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}" ;;
    esac
done
)sh";

template <class T>
boost::asio::awaitable<void> keep_result(boost::asio::awaitable<T> work,
                                         std::shared_ptr<std::optional<T>> kept) {
    kept->emplace(co_await std::move(work));
}

class RecordingListener final : public LinkListener {
public:
    void on_notification(Notification) override {}
    void on_question(Question) override {}
    void on_lost(CallFault why) override { losses.push_back(std::move(why)); }

    std::vector<CallFault> losses;
};

/// Links to real processes. No process may be left after a test.
class ChildSourceTest : public ::testing::Test {
protected:
    ChildSourceTest() : guardian_(start_guardian()), timekeeper_(context_.get_executor()) {}
    ~ChildSourceTest() override {
        const pid_t guardian = guardian_->pid();
        EXPECT_TRUE(test::eventually([guardian] { return test::descendants_of(guardian).empty(); }))
            << "a process was left after its link was dropped";
    }

    OpenResult open_script(std::string_view script) {
        return open({"/bin/sh", "-c", std::string{script}});
    }
    OpenResult open(std::vector<std::string> arguments) {
        opener_.emplace(
            make_child_source(*guardian_, {.spec = {.arguments = std::move(arguments),
                                                    .environment = {"PATH=/usr/bin:/bin"}}}),
            StreamOpenerOptions{});
        return run(opener_->open(loop(), {}, listener_, soon()));
    }
    CallResult call(Link& link, std::string_view method) {
        return run(link.call(loop(), {.method = method, .deadline = soon()}, nullptr));
    }

    template <class T>
    T run(boost::asio::awaitable<T> work) {
        const auto kept = std::make_shared<std::optional<T>>();
        bool is_done = false;
        boost::asio::co_spawn(context_, keep_result(std::move(work), kept),
                              [&is_done](const std::exception_ptr&) { is_done = true; });
        const auto end = std::chrono::steady_clock::now() + 30s;
        while (!is_done && std::chrono::steady_clock::now() < end) {
            context_.restart();
            context_.run_one_for(100ms);
        }
        EXPECT_TRUE(is_done);
        return std::move(kept->value());
    }
    [[nodiscard]] net::OwningLoop loop() { return {context_.get_executor(), &timekeeper_}; }
    [[nodiscard]] resilience::Deadline soon() const {
        return resilience::Deadline::after(timekeeper_.now(), 20s);
    }

    std::optional<process::Guardian> guardian_;  // before the loop
    boost::asio::io_context context_{1};
    resilience::LoopTimekeeper timekeeper_;
    std::optional<StreamOpener> opener_;
    std::shared_ptr<RecordingListener> listener_ = std::make_shared<RecordingListener>();

private:
    static std::optional<process::Guardian> start_guardian() {
        auto guardian = process::Guardian::start();
        return std::optional<process::Guardian>{std::move(*guardian)};
    }
};

TEST_F(ChildSourceTest, TalksToAChild) {
    const auto link = open_script(kServer);
    ASSERT_TRUE(link) << link.error().message;

    const auto answer = call(**link, "test/echo");

    EXPECT_EQ((*link)->negotiated().revision, mcp::Revision::v2025_06_18);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body(), "{}");
    EXPECT_EQ((*link)->last_log_lines(5), std::vector<std::string>{"started"});
}

TEST_F(ChildSourceTest, ReportsHowAChildDied) {
    const auto link = open_script(kServer);
    ASSERT_TRUE(link) << link.error().message;

    const auto answer = call(**link, "test/die");

    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, CallFault::Kind::connection_lost);
    EXPECT_EQ(answer.error().message,
              "The connection to the server is lost: the program ended with code 7.");
    ASSERT_EQ(listener_->losses.size(), 1U);
    EXPECT_EQ((*link)->last_log_lines(1), std::vector<std::string>{"about to die"});
}

TEST_F(ChildSourceTest, ReportsWhyAChildEndedBeforeTheHandshake) {
    const auto link = open_script("echo 'no such key: TOKEN' >&2; exit 3");

    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().kind, CallFault::Kind::not_connected);
    EXPECT_EQ(link.error().message,
              "The connection to the server is lost: the program ended with code 3.");
    EXPECT_EQ(opener_->last_log_lines(5), std::vector<std::string>{"no such key: TOKEN"});
}

TEST_F(ChildSourceTest, CompletesTheHandshakeWithAChildThatDiesOfTheProbe) {
    const std::string dies_of_probe =
        "while read -r line; do case \"$line\" in *server/discover*) exit 1;; *initialize\\\"*) "
        "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
        "\"capabilities\":{}}}';; esac; done";

    const auto link = open_script(dies_of_probe);

    ASSERT_TRUE(link) << link.error().message;
    EXPECT_EQ((*link)->negotiated().revision, mcp::Revision::v2025_11_25);
}

TEST_F(ChildSourceTest, ReportsAMissingProgram) {
    const auto link = open({"/no/such/program"});

    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().kind, CallFault::Kind::not_connected);
    EXPECT_NE(link.error().message.find("/no/such/program"), std::string::npos);
}

TEST_F(ChildSourceTest, ClosesGracefully) {
    const auto link = open_script("trap 'echo bye >&2' EXIT\n" + std::string{kServer});
    ASSERT_TRUE(link) << link.error().message;

    bool is_closed = false;
    boost::asio::co_spawn(context_, (*link)->close({}),
                          [&is_closed](const std::exception_ptr&) { is_closed = true; });
    while (!is_closed) {
        context_.restart();
        context_.run_one_for(100ms);
    }

    EXPECT_EQ((*link)->last_log_lines(1), std::vector<std::string>{"bye"});
    EXPECT_TRUE(listener_->losses.empty());
}

}  // namespace
}  // namespace holdfast::downstream
