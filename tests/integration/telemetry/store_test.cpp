// What the store keeps, and for how long.

#include "telemetry/telemetry_store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "integration/telemetry/store_scene.hpp"

namespace holdfast::test {
namespace {

using telemetry::CallTotal;
using telemetry::StoreState;
using telemetry::StoreTable;
using telemetry::TelemetryStore;

using StoreTest = StoreScene;

TEST_F(StoreTest, KeepsCallsAndEvents) {
    TelemetryStore store{options(), sources()};
    store.put(stored_call("a", kNow, "TIMEOUT"));
    store.put(std::make_shared<const record::Event>(
        record::Event{.at_ms = kNow, .kind = record::EventKind::circuit, .subject = "c"}));
    ASSERT_TRUE(store.flush(kPatience));

    EXPECT_EQ(ids(), (Texts{"a"}));
    EXPECT_EQ(column(StoreTable::calls, "at"), (Texts{"2023-11-14T22:13:20.000Z"}));
    EXPECT_EQ(column(StoreTable::calls, "failed"), (Texts{"1"}));
    EXPECT_EQ(column(StoreTable::calls, "attempts"),
              (Texts{R"([{"server":"s","began_us":0,"took_us":1400,"end":"answered",)"
                     R"("detail":"with \"quotes\""}])"}));
    EXPECT_EQ(column(StoreTable::events, "kind"), (Texts{"circuit"}));
    EXPECT_EQ(store.status().state, StoreState::on);
    EXPECT_EQ(store.status().stored, 2U);
    EXPECT_EQ(store.status().queued, 0U);
}

/// Returns a row as text without the columns that differ between failures and other calls.
std::string row_text(telemetry::StoreReader::Row row) {
    std::string text;
    for (const telemetry::StoredValue& value : row) {
        if (value.name != "outcome" && value.name != "failed") {
            text += value.name + (value.is_number ? "#" : "=") + value.text + "\n";
        }
    }
    return text;
}

TEST_F(StoreTest, StoresTheSameFieldsForSuccessfulAndFailedCalls) {
    const record::AttemptRecord attempt{.server = "s\"erver", .began_us = 1, .took_us = 2};
    record::CallRecord record{.id = "i\"d",
                              .at_ms = kNow,
                              .principal = "p",
                              .session = 0xabc,
                              .method = "m",
                              .tool = "t",
                              .server = "s\"erver",
                              .route = "r",
                              .outcome = "ok",
                              .message = "words",
                              .policy = "o",
                              .circuit = "c",
                              .circuit_before = "b",
                              .circuit_after = "a",
                              .substitute = "i",
                              .queue_us = 3,
                              .total_us = 4,
                              .bytes_in = 5,
                              .bytes_out = 6,
                              .attempts = {&attempt, 1}};
    TelemetryStore store{options(), sources()};
    store.put(record::kept(record));
    record.outcome = "TIMEOUT";
    store.put(record::kept(record));
    ASSERT_TRUE(store.flush(kPatience));

    Texts rows;
    auto reader = telemetry::StoreReader::open(file_);
    ASSERT_TRUE(reader.has_value()) << reader.error();
    const auto count =
        reader->each_row(StoreTable::calls, {}, [&](auto row) { rows.push_back(row_text(row)); });
    ASSERT_TRUE(count.has_value()) << count.error();

    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0], rows[1]);
    EXPECT_NE(rows[0].find("session=abc\n"), std::string::npos) << rows[0];
    EXPECT_NE(rows[0].find("total_us#4\n"), std::string::npos) << rows[0];
    auto outcomes = column(StoreTable::calls, "outcome");
    std::ranges::sort(outcomes);
    EXPECT_EQ(outcomes, (Texts{"TIMEOUT", "ok"}));
}

TEST_F(StoreTest, SelectsTheCallsOfAGroupByTimeAndServer) {
    TelemetryStore store{options(), sources()};
    for (const int number : {3, 1, 2}) {
        store.put(stored_call(std::to_string(number), kNow + number));
    }
    ASSERT_TRUE(store.flush(kPatience));

    EXPECT_EQ(ids(), (Texts{"1", "2", "3"}));
    EXPECT_EQ(ids({.since_ms = kNow + 2}), (Texts{"2", "3"}));
    EXPECT_EQ(ids({.since_ms = kNow + 4}), Texts{});
    EXPECT_EQ(ids({.server = "s"}).size(), 3U);
    EXPECT_EQ(ids({.server = "r"}), Texts{});
}

TEST_F(StoreTest, CreatesAPrivateFile) {
    TelemetryStore store{options(), sources()};
    ASSERT_TRUE(store.flush(kPatience));

    for (const char* suffix : {"", "-wal"}) {
        struct stat status{};
        ASSERT_EQ(::stat((file_ + suffix).c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0600U) << suffix;
    }
}

TEST_F(StoreTest, WritesQueuedItemsOnStop) {
    TelemetryStore store{options(), sources()};
    store.put(stored_call("a", kNow));
    store.stop();

    EXPECT_EQ(ids(), (Texts{"a"}));
}

TEST_F(StoreTest, KeepsAllFailuresRegardlessOfTheSample) {
    auto few = options();
    few.sample = 0;
    TelemetryStore store{few, sources()};
    store.put(stored_call("well", kNow));
    store.put(stored_call("ill", kNow, "TIMEOUT"));
    ASSERT_TRUE(store.flush(kPatience));

    EXPECT_EQ(ids(), (Texts{"ill"}));
    EXPECT_EQ(store.status().dropped, 0U);
}

TEST_F(StoreTest, KeepsTheConfiguredSampleOfOtherCalls) {
    auto some = options();
    some.sample = 0.25;
    TelemetryStore store{some, sources()};
    for (int number = 0; number < 4'000; ++number) {
        store.put(stored_call(std::to_string(number), kNow));
    }
    ASSERT_TRUE(store.flush(kPatience));

    EXPECT_GT(store.status().stored, 800U);
    EXPECT_LT(store.status().stored, 1'200U);
}

TEST_F(StoreTest, SumsTotalsByMinute) {
    auto counts = std::make_shared<std::atomic<std::uint64_t>>(3);
    auto from = sources();
    from.totals = [counts] {
        return std::vector<CallTotal>{
            {.server = "s", .tool = "t", .outcome = "ok", .calls = counts->load()}};
    };
    {
        TelemetryStore store{options(), from};
        ASSERT_TRUE(store.flush(kPatience));
        *counts = 5;
    }
    *counts = 2;
    TelemetryStore another{options(), from};
    another.stop();

    EXPECT_EQ(column(StoreTable::totals, "calls"), (Texts{"7"}));
    EXPECT_EQ(column(StoreTable::totals, "minute"), (Texts{"2023-11-14T22:13:00.000Z"}));
}

TEST_F(StoreTest, DeletesOldRows) {
    auto brief = options();
    brief.keep = 1h;
    TelemetryStore store{brief, sources()};
    // Successful calls are deleted by the minute of their arrival, failures by their exact time.
    store.put(stored_call("old", kNow - 3'660'000));
    store.put(stored_call("old failure", kNow - 3'600'001, "TIMEOUT"));
    store.put(stored_call("young", kNow - 3'599'999));
    ASSERT_TRUE(store.flush(kPatience));

    EXPECT_EQ(ids(), (Texts{"young"}));

    *now_ += 3'600'000;
    ASSERT_TRUE(store.flush(kPatience));

    EXPECT_EQ(ids(), Texts{});
}

TEST_F(StoreTest, AJumpOfTheWallClockDeletesNothing) {
    constexpr std::int64_t kTenYears = 315'360'000'000;
    auto brief = options();
    brief.keep = 1h;
    auto with_uptime = sources();
    with_uptime.uptime_ms = [] { return std::int64_t{0}; };
    {
        TelemetryStore store{brief, with_uptime};
        store.put(stored_call("before", kNow));
        ASSERT_TRUE(store.flush(kPatience));

        *now_ += kTenYears;
        ASSERT_TRUE(store.flush(kPatience));

        EXPECT_EQ(ids(), (Texts{"before"}));
        store.stop();
    }

    TelemetryStore next{brief, with_uptime};
    next.put(stored_call("after", kNow + kTenYears));
    ASSERT_TRUE(next.flush(kPatience));

    EXPECT_EQ(ids(), (Texts{"before", "after"}));
}

TEST_F(StoreTest, DeletesTheOldestRowsWhenTheFileIsTooLarge) {
    constexpr std::size_t kMegabyte = 1'024 * 1'024;
    auto small = options();
    small.max_size_bytes = kMegabyte;
    TelemetryStore store{small, sources()};
    for (int batch = 0; batch < 20; ++batch) {
        for (int number = 0; number < 1'000; ++number) {
            store.put(stored_call(std::to_string(batch * 1'000 + number), kNow + batch));
        }
        ASSERT_TRUE(store.flush(kPatience));
    }
    store.stop();

    EXPECT_LE(std::filesystem::file_size(file_), kMegabyte);
    const Texts kept = ids();
    ASSERT_GT(kept.size(), 100U);
    EXPECT_EQ(kept.back(), "19999");
    EXPECT_NE(kept.front(), "0");
    EXPECT_EQ(store.status().stored, 20'000U);
}

TEST_F(StoreTest, WritesBeforeTheQueueIsFull) {
    auto narrow = options();
    narrow.max_queued = 100;
    TelemetryStore store{narrow, sources()};
    ASSERT_TRUE(store.flush(kPatience));
    // No explicit round: a half-full queue starts one.
    for (int number = 0; number < 50; ++number) {
        store.put(stored_call(std::to_string(number), kNow));
    }
    while (store.status().stored < 50) {
        std::this_thread::yield();
    }

    EXPECT_EQ(ids().size(), 50U);
}

}  // namespace
}  // namespace holdfast::test
