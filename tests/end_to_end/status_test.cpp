// The status of a running gateway shows what has happened to it: the real binary, the preset `ucp`,
// a downstream that misbehaves, and an operator who looks and intervenes.

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/run_process.hpp"
#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr int kRate = 20;
constexpr auto kPatience = 20s;

class StatusTest : public testing::Test {
protected:
    void SetUp() override {
        scene_.scene().add_server("bad", bad_.stdio_entry());
        scene_.scene().add_server("good", good_.stdio_entry());
        scene_.scene().add_section(R"("preset":"ucp")");
        scene_.scene().add_section(R"("admin":{"http":"127.0.0.1:0"})");
        good_.does({"ok still here"});
        scene_.start(kAgentLegs[1], kRate, "bad__write");
        ASSERT_TRUE(scene_.agent().finds_tool("good__read"));
        admin_port_ = scene_.scene().admin_port();
        ASSERT_NE(admin_port_, 0);
    }

    [[nodiscard]] std::string instance_file() {
        for (const auto& entry : std::filesystem::directory_iterator{runtime_folder()}) {
            if (entry.path().extension() == ".json") {
                return entry.path().string();
            }
        }
        return {};
    }
    [[nodiscard]] std::string runtime_folder() {
        return scene_.scene().folder().path() + "/holdfast";
    }
    [[nodiscard]] HttpExchange get(const std::string& path) const {
        return http_exchange(admin_port_, {.method = "GET", .path = path});
    }
    [[nodiscard]] json::value status() const { return json::parse(get("/api/status").body()); }
    [[nodiscard]] json::value bad() const { return status().at("downstream_servers").at("bad"); }
    [[nodiscard]] std::string state() const { return bad().at("status").as_string().c_str(); }
    [[nodiscard]] static std::string circuit_state(const json::value& server) {
        return server.at("circuit_breaker").at("state").as_string().c_str();
    }
    /// Polls until the condition holds.
    [[nodiscard]] bool comes_true(const std::function<bool()>& condition) {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!condition()) {
            scene_.listen();
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            std::this_thread::sleep_for(5ms);
        }
        return true;
    }
    [[nodiscard]] FinishedProcess command(std::vector<std::string> words) {
        std::vector<std::string> all{"/usr/bin/env",
                                     "XDG_RUNTIME_DIR=" + scene_.scene().folder().path(),
                                     std::getenv("HOLDFAST_BINARY")};
        all.insert(all.end(), words.begin(), words.end());
        return run_process(std::move(all));
    }

    TroubledServer bad_{{read_only_tool("read"), unmarked_tool("write")}};
    TroubledServer good_{{read_only_tool("read")}};
    Acceptance scene_;
    std::uint16_t admin_port_ = 0;
};

TEST_F(StatusTest, ADeathIsAnErrorWithItsReasonUntilItIsConnectedAgain) {
    ASSERT_EQ(state(), "connected");
    const auto first_pid = bad().at("pid").to_number<std::int64_t>();
    bad_.does({"die"});
    bad_.refuses_to_start(true);

    EXPECT_EQ(scene_.code("bad__write"), "CONNECTION_LOST");

    ASSERT_TRUE(comes_true([&] { return state() == "error"; }));
    ASSERT_TRUE(comes_true([&] { return bad().at("next_attempt_at").is_string(); }));
    ASSERT_TRUE(comes_true([&] { return bad().at("failures_in_row").to_number<int>() >= 2; }));
    EXPECT_NE(bad().at("reason").as_string(), "");
    EXPECT_EQ(bad().at("last_error").at("code").as_string(), "CONNECTION_LOST");
    EXPECT_EQ(bad().at("circuit_breaker").at("failure_count").to_number<int>(), 1);
    EXPECT_EQ(status().at("downstream_servers").at("good").at("status").as_string(), "connected");
    bad_.refuses_to_start(false);
    ASSERT_TRUE(comes_true([&] { return state() == "connected"; }));
    EXPECT_GE(bad().at("restarts").to_number<int>(), 1);
    EXPECT_NE(bad().at("pid").to_number<std::int64_t>(), first_pid);
    EXPECT_EQ(bad().at("reason").as_string(), "");
    const std::string why = scene_.logged("server \"bad\" is not connected: ");
    EXPECT_TRUE(why.starts_with("The connection to the server is lost")) << why;
    EXPECT_EQ(scene_.logged("info server \"bad\" "), "connected");
}

TEST_F(StatusTest, SilenceIsAnErrorUntilTheNextSuccessAndTheChildKeepsRunning) {
    const auto pid = bad().at("pid").to_number<std::int64_t>();
    bad_.does({"hang", "ok again"});

    EXPECT_EQ(scene_.code("bad__write"), "TIMEOUT");

    EXPECT_EQ(state(), "error");
    EXPECT_EQ(bad().at("reason").as_string(), "Its last call timed out.");
    EXPECT_EQ(bad().at("pid").to_number<std::int64_t>(), pid);
    EXPECT_EQ(text_in(scene_.answer("bad__write")), "again");
    EXPECT_EQ(state(), "connected");
    EXPECT_EQ(bad().at("calls").to_number<int>(), 2);
    EXPECT_EQ(bad().at("failures").to_number<int>(), 1);
}

TEST_F(StatusTest, JunkOpensTheCircuitAndAnOperatorClosesIt) {
    bad_.does({"junk"});
    for (int count = 0; count < 5; ++count) {
        EXPECT_EQ(scene_.code("bad__write"), "MALFORMED_RESPONSE");
    }

    EXPECT_EQ(scene_.code("bad__write"), "CIRCUIT_OPEN");
    EXPECT_EQ(state(), "error");
    EXPECT_EQ(circuit_state(bad()), "open");
    const double left = bad().at("circuit_breaker").at("remaining_s").to_number<double>();
    EXPECT_LE(left, 60);
    EXPECT_TRUE(comes_true([&] {
        const json::value now = bad().at("circuit_breaker").at("remaining_s");
        return now.is_null() || now.to_number<double>() < left;
    }));
    const std::string metrics = get("/metrics").body();
    EXPECT_TRUE(has(metrics, R"(holdfast_circuit_state{circuit="bad",state="open"} 1)"));
    EXPECT_TRUE(has(metrics, R"(holdfast_server_state{server="bad",state="error"} 1)"));
    const FinishedProcess shown = command({"status"});
    EXPECT_EQ(shown.exit_code, 1) << shown.errors;
    EXPECT_TRUE(has(shown.out, "circuit \"bad\" refuses calls")) << shown.out;

    bad_.does({"ok here again"});
    EXPECT_EQ(command({"circuits", "reset", "bad"}).exit_code, 0);
    EXPECT_EQ(text_in(scene_.answer("bad__write")), "here again");
    EXPECT_EQ(state(), "connected");
    EXPECT_EQ(circuit_state(bad()), "closed");
    EXPECT_EQ(command({"status"}).exit_code, 0);
}

TEST_F(StatusTest, TheCommandShowsTheStatusOfTheApi) {
    EXPECT_EQ(text_in(scene_.answer("good__read")), "still here");
    const auto steady = [](json::value value) {
        value.at("server").as_object().erase("uptime_s");
        for (auto& [name, server] : value.at("downstream_servers").as_object()) {
            server.as_object().erase("uptime_s");
        }
        return json::serialize(value);
    };

    const FinishedProcess shown = command({"status", "--json"});

    ASSERT_EQ(shown.exit_code, 0) << shown.errors;
    EXPECT_EQ(steady(json::parse(shown.out)), steady(status()));
    EXPECT_EQ(json::parse(shown.out).at("calls").at("total").to_number<int>(), 1);
}

TEST_F(StatusTest, OperatorsPauseResumeForceOpenAndDrain) {
    ASSERT_EQ(command({"servers", "pause", "good"}).exit_code, 0);
    EXPECT_TRUE(has(scene_.answer("good__read"), "paused by an operator"));
    EXPECT_NE(command({"servers", "pause", "goood"}).exit_code, 0);
    ASSERT_EQ(command({"servers", "resume", "good"}).exit_code, 0);
    ASSERT_TRUE(comes_true([&] {
        return status().at("downstream_servers").at("good").at("status").as_string() == "connected";
    }));
    EXPECT_EQ(text_in(scene_.answer("good__read")), "still here");

    ASSERT_EQ(command({"circuits", "force-open", "good"}).exit_code, 0);
    EXPECT_EQ(scene_.code("good__read"), "CIRCUIT_OPEN");
    ASSERT_EQ(command({"circuits", "normal", "good"}).exit_code, 0);
    EXPECT_EQ(text_in(scene_.answer("good__read")), "still here");

    EXPECT_EQ(get("/readyz").status(), 200);
    ASSERT_EQ(command({"drain"}).exit_code, 0);
    EXPECT_EQ(scene_.code("good__read"), "SHUTTING_DOWN");
    EXPECT_EQ(get("/readyz").status(), 503);
    EXPECT_EQ(get("/healthz").status(), 200);
}

TEST_F(StatusTest, ACallIsExplainedByItsId) {
    bad_.does({"junk"});
    const std::string answer = scene_.answer("bad__write");
    const json::value calls = json::parse(get("/api/calls?failed=1").body());
    ASSERT_EQ(calls.at("calls").as_array().size(), 1U) << answer;
    const std::string id = calls.at("calls").at(0).at("id").as_string().c_str();
    EXPECT_TRUE(has(answer, id)) << answer;

    const FinishedProcess shown = command({"explain", id});
    EXPECT_EQ(shown.exit_code, 0) << shown.errors;
    EXPECT_TRUE(has(shown.out, "MALFORMED_RESPONSE")) << shown.out;
    EXPECT_TRUE(has(scene_.answer("explain_call", R"({"id":")" + id + "\"}"), "bad__write"));
    EXPECT_NE(command({"explain", "none"}).exit_code, 0);
}

TEST_F(StatusTest, ARestartSucceedsOnlyIfTheServerIsConnectedAgain) {
    const FinishedProcess good = command({"servers", "restart", "bad"});
    bad_.refuses_to_start(true);
    const FinishedProcess failed = command({"servers", "restart", "bad"});
    bad_.refuses_to_start(false);
    const FinishedProcess paused = command({"servers", "pause", "bad"});
    const FinishedProcess resumed = command({"servers", "resume", "bad"});

    EXPECT_EQ(good.exit_code, 0) << good.errors;
    EXPECT_TRUE(has(good.out, "The server \"bad\" is connected")) << good.out;
    EXPECT_EQ(failed.exit_code, 1) << failed.out;
    EXPECT_EQ(failed.out, "");
    EXPECT_TRUE(has(failed.errors, "holdfast: server \"bad\" does not work: ")) << failed.errors;
    EXPECT_EQ(paused.exit_code, 0) << paused.errors;
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_TRUE(has(resumed.out, "The server \"bad\" is connected")) << resumed.out;
}

TEST_F(StatusTest, AGatewayThatEndedIsNotFound) {
    EXPECT_EQ(scene_.scene().gateway().stop(), 0);

    EXPECT_EQ(instance_file(), "");
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"status"}, {"circuits"}, {"servers", "restart", "bad"}, {"explain", "1"}}) {
        const FinishedProcess shown = command(words);
        EXPECT_EQ(shown.exit_code, 4) << words.front();
        EXPECT_TRUE(has(shown.errors, "no running gateway found")) << shown.errors;
    }
    EXPECT_EQ(command({"status", "--url", "http://127.0.0.1:1"}).exit_code, 4);
    EXPECT_EQ(command({"status", "--url", "nonsense"}).exit_code, 2);
}

}  // namespace
}  // namespace holdfast::test
