#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "telemetry/store_reader.hpp"
#include "telemetry/telemetry_store.hpp"

// A store in its own folder, with a clock that stands still.

namespace holdfast::test {

using namespace std::chrono_literals;

inline constexpr auto kPatience = 60s;  // generous, for a very busy machine

inline std::shared_ptr<const record::CallRecord> stored_call(const std::string& id,
                                                             std::int64_t at_ms,
                                                             std::string_view outcome = "ok") {
    record::CallRecord record;
    record.id = id;
    record.at_ms = at_ms;
    record.server = "s";
    record.tool = "t";
    record.outcome = outcome;
    record.message = outcome == "ok" ? "" : "because";
    record.total_us = 1'500;
    const record::AttemptRecord attempt{
        .server = "s", .took_us = 1'400, .detail = "with \"quotes\""};
    record.attempts = {&attempt, 1};
    return record::kept(record);
}

class StoreScene : public testing::Test {
protected:
    static constexpr std::int64_t kNow = 1'700'000'000'000;

    /// Disables all timers: a round runs only on request.
    [[nodiscard]] telemetry::StoreOptions options() const {
        telemetry::StoreOptions result;
        result.path = file_;
        result.sample = 1;
        result.flush_every = 1h;
        result.first_retry = 1h;
        result.max_retry = 1h;
        return result;
    }
    [[nodiscard]] telemetry::StoreSources sources() {
        return {.now_ms = [now = now_] { return now->load(); }};
    }

    /// Returns the values of a column, oldest first.
    [[nodiscard]] std::vector<std::string> column(telemetry::StoreTable table,
                                                  const std::string& name,
                                                  const telemetry::StoreFilter& filter = {}) const {
        std::vector<std::string> values;
        auto reader = telemetry::StoreReader::open(file_);
        EXPECT_TRUE(reader.has_value()) << reader.error();
        if (!reader) {
            return values;
        }
        const auto rows = reader->each_row(table, filter, [&](telemetry::StoreReader::Row row) {
            for (const telemetry::StoredValue& value : row) {
                if (value.name == name) {
                    values.push_back(value.text);
                }
            }
        });
        EXPECT_TRUE(rows.has_value()) << rows.error();
        return values;
    }
    [[nodiscard]] std::vector<std::string> ids(const telemetry::StoreFilter& filter = {}) const {
        return column(telemetry::StoreTable::calls, "id", filter);
    }

    TemporaryFolder folder_;
    const std::string file_ = folder_ / "data/telemetry.db";
    /// Shared, because a thread that hangs outlives the test.
    const std::shared_ptr<std::atomic<std::int64_t>> now_ =
        std::make_shared<std::atomic<std::int64_t>>(kNow);
};

using Texts = std::vector<std::string>;

}  // namespace holdfast::test
