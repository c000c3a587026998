#include <array>
#include <chrono>

#include "telemetry/store/store_file.hpp"

// Deletes old rows and limits the size of the file.

namespace holdfast::telemetry {
namespace {

// Limits for rows and rounds, so that transactions stay short and a pass ends.
constexpr std::int64_t kRowsAtOnce = 5'000;
constexpr int kMaxRounds = 50;

struct TimedTable {
    const char* name;
    const char* time;  ///< The column.
};
constexpr std::array<TimedTable, 3> kTables{{{.name = "calls", .time = "at_ms"},
                                             {.name = "call_groups", .time = "last_ms"},
                                             {.name = "events", .time = "at_ms"}}};

SqliteResult<void> delete_rows_before(Database& database, const TimedTable& timed,
                                      std::int64_t at_ms) {
    const std::string table = timed.name;
    // The oldest rows are the first ones, with few exceptions that a later round deletes.
    const std::string first_rows =
        "SELECT n FROM " + table + " ORDER BY n LIMIT " + std::to_string(kRowsAtOnce);
    const std::string sql = "DELETE FROM " + table + " WHERE n <= (SELECT max(n) FROM (" +
                            first_rows + ")) AND " + timed.time + " < " + std::to_string(at_ms);
    for (int round = 0; round < kMaxRounds; ++round) {
        if (auto deleted = database.execute(sql); !deleted) {
            return deleted;
        }
        if (database.changes() == 0) {
            break;
        }
    }
    return {};
}

}  // namespace

StoreResult<std::optional<std::int64_t>> StoreFile::newest_ms() {
    std::optional<std::int64_t> newest;
    for (const TimedTable& timed : kTables) {
        // The newest rows are the last ones. There are no times before the epoch.
        const auto last = database_.number(std::string{"SELECT "} + timed.time + " FROM " +
                                           timed.name + " ORDER BY n DESC LIMIT 1");
        if (!last) {
            return fault_from(last.error());
        }
        if (*last > newest.value_or(0)) {
            newest = *last;
        }
    }
    return newest;
}

StoreResult<void> StoreFile::delete_before(std::int64_t oldest_ms) {
    for (const TimedTable& table : kTables) {
        if (auto deleted = delete_rows_before(database_, table, oldest_ms); !deleted) {
            return fault_from(deleted.error());
        }
    }
    auto deleted =
        database_.execute("DELETE FROM totals WHERE minute_ms < " + std::to_string(oldest_ms));
    if (!deleted) {
        return fault_from(deleted.error());
    }
    return {};
}

SqliteResult<std::int64_t> StoreFile::used_bytes() {
    std::array<std::int64_t, 3> numbers{};
    constexpr std::array<const char*, 3> kQuestions{"PRAGMA page_count", "PRAGMA freelist_count",
                                                    "PRAGMA page_size"};
    for (std::size_t index = 0; index < kQuestions.size(); ++index) {
        const auto number = database_.number(kQuestions.at(index));
        if (!number) {
            return number.error();
        }
        numbers.at(index) = *number;
    }
    const auto [pages, free_pages, page_bytes] = numbers;
    return (pages - free_pages) * page_bytes;
}

StoreResult<void> StoreFile::keep_small() {
    const auto max_bytes = static_cast<std::int64_t>(options_.max_size_bytes);
    auto used = used_bytes();
    if (used && *used <= max_bytes) {
        return {};
    }
    // Frees a tenth more than necessary, so that the next pass is not due at once.
    const std::int64_t wanted = max_bytes / 10 * 9;
    for (int round = 0; round < kMaxRounds && used && *used > wanted; ++round) {
        if (auto deleted = delete_oldest_part(); !deleted) {
            return fault_from(deleted.error());
        }
        used = used_bytes();
    }
    if (!used) {
        return fault_from(used.error());
    }
    auto given_back = database_.execute("PRAGMA incremental_vacuum");
    if (!given_back) {
        return fault_from(given_back.error());
    }
    return {};
}

// Deletes a tenth of each table; deletes totals, which are small, only if nothing else is left.
SqliteResult<void> StoreFile::delete_oldest_part() {
    std::int64_t deleted_rows = 0;
    for (const TimedTable& timed : kTables) {
        const std::string from = std::string{" FROM "} + timed.name;
        std::string sql = "DELETE" + from + " WHERE n <= (SELECT min(n) + (max(n) - min(n)) / 10";
        auto deleted = database_.execute(sql.append(from).append(")"));
        if (!deleted) {
            return deleted;
        }
        deleted_rows += database_.changes();
    }
    if (deleted_rows > 0) {
        return {};
    }
    return database_.execute(
        "DELETE FROM totals WHERE minute_ms <= "
        "(SELECT min(minute_ms) + (max(minute_ms) - min(minute_ms)) / 10 FROM totals)");
}

}  // namespace holdfast::telemetry
