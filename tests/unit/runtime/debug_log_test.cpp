#include "runtime/logs/debug_log.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <sstream>
#include <string>

namespace holdfast::runtime {
namespace {

using namespace std::chrono_literals;
using downstream::DownstreamStatus;
using downstream::LinkState;

class FakeRecorder final : public record::Recorder {
public:
    void on_call(const record::CallRecord& record) override { call = record.id; }
    void on_event(record::Event event) override { server = event.server; }

    std::string call;
    std::string server;
};

class DebugLogTest : public testing::Test {
protected:
    /// What was logged since the last look, without the times.
    [[nodiscard]] std::string logged() {
        std::istringstream lines{out_.str()};
        out_.str({});
        std::string text;
        for (std::string line; std::getline(lines, line);) {
            text += line.substr(line.find(' ') + 1) + "\n";
        }
        return text;
    }

    std::ostringstream out_;
    resilience::TimePoint now_ = {};
    const std::shared_ptr<FakeRecorder> next_ = std::make_shared<FakeRecorder>();
    DebugLog debug_{
        DebugLogDeps{.log = ServiceLog{logging::Log{out_, {.level = logging::LogLevel::debug}}},
                     .next = next_,
                     .without_secrets =
                         [](const std::string& text) {
                             return text.find("hush") == std::string::npos ? text : "[redacted]";
                         },
                     .now = [this] { return now_; }}};
};

TEST_F(DebugLogTest, LogsEachConnectionAttemptAndHandshake) {
    debug_.on_status("box", {.state = LinkState::connecting});
    now_ += 20ms;
    debug_.on_status("box", {.state = LinkState::waiting,
                             .reason = "connection refused",
                             .next_attempt_at = now_ + 500ms,
                             .failures_in_row = 1});
    debug_.on_status("box", {.state = LinkState::connecting, .failures_in_row = 1});
    now_ += 41ms;
    const DownstreamStatus ready{.state = LinkState::ready, .negotiated = downstream::Negotiated{}};
    debug_.on_status("box", ready);
    debug_.on_status("box", ready);

    EXPECT_EQ(logged(),
              "debug server \"box\": connecting (attempt 1)\n"
              "debug server \"box\": not connected, next attempt in 500 ms: connection refused\n"
              "debug server \"box\": connecting (attempt 2)\n"
              "debug server \"box\": handshake done after 41 ms (legacy era, revision "
              "2025-11-25)\n");
}

TEST_F(DebugLogTest, LogsEachListThatIsRead) {
    debug_.on_list("box", {.kind = downstream::ListKind::prompts, .entries = {{}, {}}});

    EXPECT_EQ(logged(), "debug server \"box\": list of prompts read (2 entries)\n");
}

TEST_F(DebugLogTest, LogsACallAndPassesItOn) {
    const std::array<record::AttemptRecord, 1> attempts{{{.server = "box", .took_us = 1'500}}};

    debug_.on_call({.id = "c1",
                    .tool = "box__echo",
                    .server = "box",
                    .outcome = "ok",
                    .total_us = 2'500,
                    .attempts = attempts});
    debug_.on_event({.server = "box"});

    EXPECT_EQ(logged(),
              "debug call c1: \"box__echo\" at \"box\" ended after 2 ms (1 attempt): ok\n");
    EXPECT_EQ(next_->call, "c1");
    EXPECT_EQ(next_->server, "box");
}

TEST_F(DebugLogTest, LogsNoArguments) {
    debug_.on_call({.id = "c1",
                    .tool = "login",
                    .server = "box",
                    .outcome = "INVALID_ARGUMENTS",
                    .message = "/pw: expected integer, got string \"hunter2\""});

    const std::string text = logged();
    EXPECT_NE(text.find("INVALID_ARGUMENTS"), std::string::npos) << text;
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
}

TEST_F(DebugLogTest, LogsEachAttemptOfACallWithSeveralAndHidesSecrets) {
    const std::array<record::AttemptRecord, 2> attempts{
        {{.server = "box", .took_us = 30'000'000, .end = "timeout", .detail = "hush"},
         {.server = "box", .took_us = 4'000}}};

    debug_.on_call({.id = "c1",
                    .tool = "box__echo",
                    .server = "box",
                    .outcome = "TIMEOUT",
                    .message = "it said hush",
                    .total_us = 31'000'000,
                    .attempts = attempts});

    EXPECT_EQ(logged(),
              "debug call c1: attempt 1 at \"box\" ended after 30000 ms: timeout, [redacted]\n"
              "debug call c1: attempt 2 at \"box\" ended after 4 ms: answered\n"
              "debug call c1: \"box__echo\" at \"box\" ended after 31000 ms (2 attempts): "
              "TIMEOUT, [redacted]\n");
}

}  // namespace
}  // namespace holdfast::runtime
