// What the gateway records about a failing server, and how a person finds it.

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/run_process.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 20;

/// Two servers, one of which fails, and their records.
class TelemetryTest : public testing::Test {
protected:
    void start(const std::string& section) {
        scene_.scene().add_server("bad", bad_.stdio_entry());
        scene_.scene().add_server("good", good_.stdio_entry());
        scene_.scene().add_section(section);
        good_.does({"ok still here"});
        scene_.start(kAcceptanceLegs[1], kRate, "bad__write");
        ASSERT_TRUE(scene_.agent().finds_tool("good__read"));
    }
    void stop() { EXPECT_EQ(scene_.scene().gateway().stop(), 0); }

    /// While the file's path is blocked, calls are answered anyway; they are stored once it is
    /// free.
    void expect_calls_until_the_file_is_free() {
        start(R"("telemetry":{"sample":1})");
        EXPECT_NE(scene_.logged("telemetry is not stored, only counted: "), "");
        bad_.does({"error it is broken", "die"});

        EXPECT_EQ(text_in(scene_.answer("good__read")), "still here");
        EXPECT_EQ(text_in(scene_.answer("bad__write")), "it is broken");
        EXPECT_TRUE(has(scene_.answer("bad__write"), "CONNECTION_LOST"));
        std::filesystem::remove(file_);
        EXPECT_EQ(scene_.logged("telemetry is stored"), " again");
        stop();

        const std::string report = telemetry({"--json"}).out;
        EXPECT_TRUE(has(report, R"({"server":"good","calls":1,"failures":0,)")) << report;
        EXPECT_TRUE(has(report, R"({"server":"bad","calls":2,"failures":1,)")) << report;
    }

    [[nodiscard]] FinishedProcess telemetry(std::vector<std::string> arguments = {}) const {
        const char* binary = std::getenv("HOLDFAST_BINARY");
        arguments.insert(arguments.begin(),
                         {binary == nullptr ? "" : binary, "telemetry", "--file", file_});
        return run_process(std::move(arguments));
    }

    TroubledServer bad_{{read_only_tool("read"), unmarked_tool("write")}};
    TroubledServer good_{{read_only_tool("read")}};
    Acceptance scene_;
    const std::string file_ = scene_.scene().folder() / "holdfast/telemetry.db";
};

TEST_F(TelemetryTest, ShowsWhichServerFailsAndWhy) {
    start(R"("telemetry":{"sample":1})");
    bad_.does({"die"});
    EXPECT_EQ(scene_.code("bad__write"), "CONNECTION_LOST");
    std::ignore = scene_.answer("good__read");
    stop();

    const FinishedProcess json = telemetry({"--json"});
    const FinishedProcess words = telemetry();

    EXPECT_EQ(json.exit_code, 0) << json.errors;
    EXPECT_TRUE(has(json.out, R"("servers":[{"server":"bad","calls":1,"failures":1,)")) << json.out;
    EXPECT_TRUE(has(json.out, R"("causes":[{"code":"CONNECTION_LOST","count":1,)")) << json.out;
    EXPECT_TRUE(has(json.out, R"("tool":"bad__write")")) << json.out;
    EXPECT_TRUE(has(json.out, R"({"server":"good","calls":1,"failures":0,)")) << json.out;
    EXPECT_TRUE(has(json.out, R"({"kind":"connection","what":"waiting","name":"bad",)"))
        << json.out;
    EXPECT_EQ(words.exit_code, 0) << words.errors;
    EXPECT_TRUE(has(words.out, "bad: 1 of 1 calls failed (100.0 %)\n  1 × CONNECTION_LOST, last "))
        << words.out;
    EXPECT_TRUE(has(words.out, "good: 0 of 1 calls failed (0.0 %)\n")) << words.out;
}

TEST_F(TelemetryTest, FiltersByServerAndPrintsRows) {
    start(R"("telemetry":{"sample":1})");
    bad_.does({"die"});
    std::ignore = scene_.answer("bad__write");
    std::ignore = scene_.answer("good__read");
    stop();

    const FinishedProcess lines = telemetry({"--export", "jsonl", "--server", "good"});
    const FinishedProcess table = telemetry({"--export", "csv", "--table", "totals"});

    EXPECT_EQ(lines.exit_code, 0) << lines.errors;
    EXPECT_EQ(plain_text(member_text(lines.out, "tool")), "good__read") << lines.out;
    EXPECT_EQ(plain_text(member_text(lines.out, "outcome")), "ok") << lines.out;
    EXPECT_FALSE(has(lines.out, "bad__write")) << lines.out;
    EXPECT_TRUE(table.out.starts_with("minute,server,tool,outcome,calls,total_us\r\n"))
        << table.out;
    EXPECT_TRUE(has(table.out, ",bad,bad__write,CONNECTION_LOST,1,")) << table.out;
}

TEST_F(TelemetryTest, CanBeReadWhileTheGatewayRuns) {
    start(R"("telemetry":{"sample":0})");
    bad_.does({"die"});
    std::ignore = scene_.answer("bad__write");

    // Written shortly after; each read is a process, so this is not a busy loop.
    FinishedProcess json;
    for (int look = 0; look < 500 && !has(json.out, "CONNECTION_LOST"); ++look) {
        json = telemetry({"--json"});
    }

    EXPECT_TRUE(has(json.out, R"("code":"CONNECTION_LOST","count":1,)")) << json.out;
    EXPECT_EQ(text_in(scene_.answer("good__read")), "still here");
}

TEST_F(TelemetryTest, AnUnusableDiskAffectsNoCall) {
    std::filesystem::create_directories(file_);

    expect_calls_until_the_file_is_free();
}

TEST_F(TelemetryTest, AnUnresponsiveFileAffectsNoCall) {
    std::filesystem::create_directories(std::filesystem::path{file_}.parent_path());
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);

    expect_calls_until_the_file_is_free();
}

TEST_F(TelemetryTest, StoresNothingIfDisabled) {
    start(R"("telemetry":{"store":false})");
    std::ignore = scene_.answer("good__read");
    stop();

    EXPECT_FALSE(std::filesystem::exists(file_));
    const FinishedProcess process = telemetry();
    EXPECT_EQ(process.exit_code, 1);
    EXPECT_TRUE(has(process.errors, "there is no telemetry at")) << process.errors;
}

TEST_F(TelemetryTest, RejectsInvalidArguments) {
    EXPECT_EQ(telemetry({"--export", "xml"}).exit_code, 2);
    EXPECT_EQ(telemetry({"--table", "events"}).exit_code, 2);
    EXPECT_EQ(telemetry({"--since", "yesterday"}).exit_code, 2);
}

}  // namespace
}  // namespace holdfast::test
