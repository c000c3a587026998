// Reports from stored telemetry.

#include "telemetry/store_reader.hpp"

#include "integration/telemetry/store_scene.hpp"
#include "telemetry/metrics.hpp"

namespace holdfast::test {
namespace {

using record::CallRecord;
using record::Event;
using record::EventKind;
using record::EventWhat;
using telemetry::Metrics;
using telemetry::ServerReport;
using telemetry::StoreReader;
using telemetry::StoreReport;
using telemetry::TelemetryStore;

constexpr std::int64_t kHourMs = 3'600'000;

class StoreReaderTest : public StoreScene {
protected:
    /// The outcome must have static storage.
    void record(const std::string& server, const char* outcome, int count) {
        for (int number = 0; number < count; ++number) {
            const auto base = stored_call(server + outcome + std::to_string(number),
                                          now_->load() + number, outcome);
            CallRecord call = *base;
            call.server = server;
            const std::string words = "words of " + std::to_string(number);
            call.message = call.is_failure() ? std::string_view{words} : std::string_view{};
            const record::KeptCall stored = record::kept(call);
            metrics_->on_calls({&stored, 1});
            store_.put(stored);
        }
        ASSERT_TRUE(store_.flush(kPatience));
    }
    void record(const Event& event) { store_.put(std::make_shared<const Event>(event)); }
    [[nodiscard]] StoreReport report(const telemetry::StoreFilter& filter = {}) {
        EXPECT_TRUE(store_.flush(kPatience));
        auto reader = StoreReader::open(file_);
        auto result = reader ? reader->report(filter) : reader.error();
        EXPECT_TRUE(result.has_value()) << result.error();
        return result ? *result : StoreReport{};
    }

    const std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();
    TelemetryStore store_{[this] {
                              auto all = options();
                              all.totals_every = 0s;
                              return all;
                          }(),
                          {.now_ms = [now = now_] { return now->load(); },
                           .totals = [metrics = metrics_] { return metrics->totals(); }}};
};

TEST_F(StoreReaderTest, ReportsTheServersWithMostFailuresAndTheirCauses) {
    record("good", "ok", 5);
    record("bad", "ok", 2);
    record("bad", "TIMEOUT", 3);
    record("bad", "CONNECTION_LOST", 1);

    const StoreReport result = report();

    ASSERT_EQ(result.servers.size(), 2U);
    const ServerReport& worst = result.servers.at(0);
    EXPECT_EQ(worst.server, "bad");
    EXPECT_EQ(worst.calls, 6U);
    EXPECT_EQ(worst.failures, 4U);
    ASSERT_EQ(worst.causes.size(), 2U);
    EXPECT_EQ(worst.causes.at(0).code, "TIMEOUT");
    EXPECT_EQ(worst.causes.at(0).count, 3U);
    EXPECT_EQ(worst.causes.at(0).message, "words of 2");
    EXPECT_EQ(worst.causes.at(0).last_at_ms, kNow + 2);
    EXPECT_EQ(worst.last_failure_ms, kNow + 2);
    EXPECT_EQ(result.servers.at(1).server, "good");
    EXPECT_EQ(result.servers.at(1).failures, 0U);
}

TEST_F(StoreReaderTest, MistakesOfAgentsDoNotCountAsServerFailures) {
    record("a", "INVALID_ARGUMENTS", 5);
    record("a", "TOOL_NOT_FOUND", 3);
    record("a", "HELD_BACK", 1);
    record("a", "TIMEOUT", 2);

    const StoreReport all = report();

    ASSERT_EQ(all.servers.size(), 1U);
    EXPECT_EQ(all.servers[0].calls, 11U);
    EXPECT_EQ(all.servers[0].failures, 2U);
    ASSERT_EQ(all.servers[0].causes.size(), 1U);
    EXPECT_EQ(all.servers[0].causes[0].code, "TIMEOUT");
    EXPECT_EQ(all.servers[0].busiest_hour_failures, 2U);
}

TEST_F(StoreReaderTest, ReportsTheWorstHour) {
    record("bad", "TIMEOUT", 2);
    *now_ += kHourMs;
    record("bad", "TIMEOUT", 3);
    *now_ += kHourMs;
    record("bad", "TIMEOUT", 1);

    const ServerReport server = report().servers.at(0);

    EXPECT_EQ(server.busiest_hour_failures, 3U);
    EXPECT_EQ(server.busiest_hour_ms, (kNow + kHourMs) / kHourMs * kHourMs);
}

TEST_F(StoreReaderTest, AppliesTheStartTime) {
    record("bad", "TIMEOUT", 2);
    *now_ += kHourMs;
    record("bad", "TIMEOUT", 1);

    EXPECT_EQ(report({.since_ms = kNow + kHourMs / 2}).servers.at(0).failures, 1U);
    EXPECT_TRUE(report({.since_ms = kNow + 2 * kHourMs}).servers.empty());
}

TEST_F(StoreReaderTest, AppliesTheServerFilter) {
    record("a", "TIMEOUT", 1);
    record("b", "TIMEOUT", 1);

    const StoreReport result = report({.server = "b"});

    ASSERT_EQ(result.servers.size(), 1U);
    EXPECT_EQ(result.servers.at(0).server, "b");
}

TEST_F(StoreReaderTest, CountsEventsBySubject) {
    record({.at_ms = kNow, .kind = EventKind::circuit, .subject = "c", .what = EventWhat::opened});
    record(
        {.at_ms = kNow + 1, .kind = EventKind::circuit, .subject = "c", .what = EventWhat::opened});
    record(
        {.at_ms = kNow, .kind = EventKind::connection, .server = "s", .what = EventWhat::waiting});

    const StoreReport result = report();

    ASSERT_EQ(result.events.size(), 2U);
    EXPECT_EQ(result.events.at(0).name, "c");
    EXPECT_EQ(result.events.at(0).count, 2U);
    EXPECT_EQ(result.events.at(0).last_at_ms, kNow + 1);
    EXPECT_EQ(result.events.at(1).kind, "connection");
    EXPECT_EQ(result.events.at(1).name, "s");
}

TEST_F(StoreReaderTest, ReportsAMissingFile) {
    const auto missing = StoreReader::open(folder_ / "none.db");
    write_file(folder_ / "rubbish.db", std::string(5'000, 'x'));
    const auto rubbish = StoreReader::open(folder_ / "rubbish.db");

    ASSERT_FALSE(missing.has_value());
    EXPECT_NE(missing.error().find("there is no telemetry"), std::string::npos);
    ASSERT_FALSE(rubbish.has_value());
    EXPECT_NE(rubbish.error().find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::test
