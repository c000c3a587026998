#include "telemetry/recording.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry {
namespace {

using resilience::CircuitState;

class RecordingTest : public testing::Test {
protected:
    [[nodiscard]] telemetry::RecordingDeps parts() {
        return {.now_ms = [this] { return now_ms_; },
                .hide =
                    [](std::string& text) {
                        if (const auto at = text.find("s3cret"); at != std::string::npos) {
                            text.replace(at, 6, "[redacted]");
                        }
                    },
                .query_hash =
                    [](std::string_view query) { return "hash-" + std::to_string(query.size()); }};
    }
    static record::CallRecord failed_call() {
        record::CallRecord record;
        record.id = "id";
        record.at_ms = 4'000;
        record.total_us = 2'000;
        record.server = "s";
        record.tool = "t";
        record.outcome = "TIMEOUT";
        record.message = "no answer with s3cret";
        static constexpr record::AttemptRecord kAttempt{
            .server = "s", .end = "timeout", .detail = "s3cret again"};
        record.attempts = {&kAttempt, 1};
        return record;
    }
    static record::Event last_event(telemetry::Recording& recording) {
        return recording.events().after(recording.events().last() - 1, 1).at(0)->event;
    }

    std::int64_t now_ms_ = 5'000;
};

TEST_F(RecordingTest, CountsASuccessWhenSomebodyLooks) {
    telemetry::Recording recording{{}, parts()};
    record::CallRecord record = failed_call();
    record.outcome = "ok";
    record.message = {};
    record.attempts = {};

    recording.on_call(record);
    EXPECT_EQ(recording.metrics().by_server().at("s").calls, 1U);
    recording.on_call(record);
    EXPECT_NE(recording.calls().find("id"), nullptr);
    recording.on_call(record);

    const auto line = recording.series().view(now_ms_, 1).all;
    EXPECT_EQ(line.calls.back(), 3U);
    EXPECT_EQ(recording.metrics().by_server().at("s").calls, 3U) << "each counts once";
}

TEST_F(RecordingTest, CountsAllWhenMoreComeThanAQueueHolds) {
    telemetry::Recording recording{{}, parts()};
    record::CallRecord record = failed_call();
    record.outcome = "ok";
    const std::size_t count = 3 * PendingCalls::kQueueSlots + 1;

    for (std::size_t number = 0; number < count; ++number) {
        recording.on_call(record);
    }

    EXPECT_EQ(recording.metrics().by_server().at("s").calls, count);
    EXPECT_EQ(recording.calls().latest(count + 1).size(), count);
}

TEST_F(RecordingTest, PassesACallToAllConsumers) {
    telemetry::Recording recording{{}, parts()};

    recording.on_call(failed_call());

    EXPECT_EQ(recording.calls().find("id")->outcome, "TIMEOUT");
    EXPECT_EQ(recording.metrics().by_server().at("s").failures, 1U);
    EXPECT_EQ(recording.series().view(now_ms_, 1).servers.at("s").failures.back(), 1U);
    const auto error = recording.last_errors().of("s");
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->at_ms, 4'002);
    EXPECT_EQ(error->code, "TIMEOUT");
    EXPECT_EQ(error->tool, "t");
    const record::Event event = last_event(recording);
    EXPECT_EQ(event.kind, record::EventKind::call);
    EXPECT_EQ(event.subject, "t");
    EXPECT_EQ(event.what_text(), "TIMEOUT");
    EXPECT_EQ(event.call_id, "id");
    EXPECT_FALSE(recording.store_status().has_value());
}

TEST_F(RecordingTest, ASuccessfulCallIsNotAnEvent) {
    telemetry::Recording recording{{}, parts()};
    record::CallRecord record = failed_call();
    record.outcome = "tool_error";

    recording.on_call(record);

    EXPECT_EQ(recording.events().last(), 0U);
    EXPECT_FALSE(recording.last_errors().of("s").has_value());
}

TEST_F(RecordingTest, RemovesSecrets) {
    telemetry::Recording recording{{}, parts()};

    recording.on_call(failed_call());
    const auto call = recording.calls().find("id");
    const std::string reason = last_event(recording).reason;
    recording.on_event({.kind = record::EventKind::connection, .server = "s", .reason = "s3cret"});

    EXPECT_EQ(call->message, "no answer with [redacted]");
    EXPECT_EQ(call->attempts.front().detail, "[redacted] again");
    EXPECT_EQ(recording.last_errors().of("s")->message, "no answer with [redacted]");
    EXPECT_EQ(reason, "no answer with [redacted]");
    EXPECT_EQ(last_event(recording).reason, "[redacted]");
}

TEST_F(RecordingTest, CutsLongTextsBetweenCharacters) {
    telemetry::Recording recording{{.max_text_bytes = 4}, parts()};
    record::CallRecord record = failed_call();
    record.message = "aaaéb";

    recording.on_call(record);

    EXPECT_EQ(recording.calls().find("id")->message, "aaa…");
}

TEST_F(RecordingTest, KeepsQueriesAsHashesUnlessAllowed) {
    telemetry::Recording hashing{{}, parts()};
    telemetry::Recording plain{{.keeps_query_text = true}, parts()};
    const record::Event event{.kind = record::EventKind::router,
                              .subject = "my query",
                              .what = record::EventWhat::listed};

    hashing.on_event(event);
    plain.on_event(event);

    EXPECT_EQ(last_event(hashing).subject, "hash-8");
    EXPECT_EQ(last_event(plain).subject, "my query");
}

TEST_F(RecordingTest, AddsAMissingTime) {
    telemetry::Recording recording{{}, parts()};
    record::CallRecord undated = failed_call();
    undated.at_ms = 0;

    recording.on_call(undated);
    EXPECT_EQ(recording.calls().find("id")->at_ms, now_ms_ - 2);

    recording.on_event({.kind = record::EventKind::gateway, .what = record::EventWhat::draining});

    EXPECT_EQ(last_event(recording).at_ms, now_ms_);
}

TEST_F(RecordingTest, RecordsGuardEvents) {
    telemetry::Recording recording{{}, parts()};

    recording.on_transition("c", {.to = CircuitState::open,
                                  .cause = resilience::TransitionCause::consecutive_failures,
                                  .generation = 1,
                                  .consecutive_failures = 5,
                                  .open_for = std::chrono::seconds{30}});
    const record::Event opened = last_event(recording);
    recording.on_retry("s",
                       {.attempt = 2, .max_attempts = 3, .delay = std::chrono::milliseconds{250}});
    const record::Event retry = last_event(recording);

    EXPECT_EQ(opened.kind, record::EventKind::circuit);
    EXPECT_EQ(opened.subject, "c");
    EXPECT_EQ(opened.what, record::EventWhat::opened);
    EXPECT_EQ(opened.wait_ms, 30'000);
    EXPECT_EQ(recording.circuits().since(0).at("c").at(0).state, CircuitState::open);
    EXPECT_EQ(retry.kind, record::EventKind::retry);
    EXPECT_EQ(retry.attempt, 2U);
    EXPECT_EQ(retry.max_attempts, 3U);
    EXPECT_EQ(retry.wait_ms, 250);
}

}  // namespace
}  // namespace holdfast::telemetry
