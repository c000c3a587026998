#pragma once

#include <cstdint>
#include <string_view>

// The tables of the store. Times are milliseconds since the epoch, UTC. Rows arrive nearly in the
// order of their times, so most times need no index; failures have one. Failed calls have a row
// each in `calls`. The others are stored in groups: one row with the common fields and a JSON array
// of the rest. The view `all_calls` has one row per call of both.

namespace holdfast::telemetry {

/// Stored in `PRAGMA user_version`. A file with a higher version belongs to a newer program.
inline constexpr int kSchemaVersion = 2;

/// Calls of one minute share rows.
inline constexpr std::int64_t kMinuteMs = 60'000;

inline constexpr std::string_view kSchema = R"sql(
CREATE TABLE IF NOT EXISTS calls(
    n INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL, id TEXT NOT NULL, principal TEXT NOT NULL, session TEXT NOT NULL,
    method TEXT NOT NULL, tool TEXT NOT NULL, server TEXT NOT NULL, route TEXT NOT NULL,
    outcome TEXT NOT NULL, failed INTEGER NOT NULL, message TEXT NOT NULL, policy TEXT NOT NULL,
    circuit TEXT NOT NULL, circuit_before TEXT NOT NULL, circuit_after TEXT NOT NULL,
    substitute TEXT NOT NULL, queue_us INTEGER NOT NULL, total_us INTEGER NOT NULL,
    bytes_in INTEGER NOT NULL, bytes_out INTEGER NOT NULL, attempts TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS failures_at ON calls(at_ms) WHERE failed;
CREATE TABLE IF NOT EXISTS call_groups(
    n INTEGER PRIMARY KEY,
    last_ms INTEGER NOT NULL, principal TEXT NOT NULL, method TEXT NOT NULL, tool TEXT NOT NULL,
    server TEXT NOT NULL, route TEXT NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL,
    policy TEXT NOT NULL, circuit TEXT NOT NULL, circuit_before TEXT NOT NULL,
    circuit_after TEXT NOT NULL, substitute TEXT NOT NULL, calls TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS events(
    n INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL, kind TEXT NOT NULL, server TEXT NOT NULL, subject TEXT NOT NULL,
    what TEXT NOT NULL, reason TEXT NOT NULL, wait_ms INTEGER NOT NULL, attempt INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL, call_id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS totals(
    minute_ms INTEGER NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, outcome TEXT NOT NULL,
    calls INTEGER NOT NULL, total_us INTEGER NOT NULL,
    PRIMARY KEY(minute_ms, server, tool, outcome)) WITHOUT ROWID;
)sql";

/// The columns of a call.
inline constexpr std::string_view kCallColumns =
    "at_ms, id, principal, session, method, tool, server, route, outcome, failed, message, policy,"
    " circuit, circuit_before, circuit_after, substitute, queue_us, total_us, bytes_in, bytes_out,"
    " attempts";

/// Calls with their own row and calls in groups: the columns above, and `n` and `place`, which give
/// the order of calls with the same time.
inline constexpr std::string_view kSelectRows = "SELECT *, 0 AS place FROM calls";
inline constexpr std::string_view kSelectGrouped =
    "SELECT n, value->>0 AS at_ms, value->>1 AS id, principal, value->>2 AS session, method, tool,"
    " server, route, outcome, 0 AS failed, message, policy, circuit, circuit_before,"
    " circuit_after, substitute, value->>3 AS queue_us, value->>4 AS total_us, value->>5 AS "
    "bytes_in,"
    " value->>6 AS bytes_out, CASE json_array_length(value) WHEN 9 THEN"
    " '[{\"server\":' || json_quote(server) || ',\"began_us\":' || (value->>7) ||"
    " ',\"took_us\":' || (value->>8) || ',\"end\":\"answered\",\"detail\":\"\"}]'"
    " ELSE value->>7 END AS attempts, key AS place"
    " FROM call_groups, json_each(calls)";

inline constexpr std::string_view kInsertCall =
    "INSERT INTO calls(at_ms, id, principal, session, method, tool, server, route, outcome, failed,"
    " message, policy, circuit, circuit_before, circuit_after, substitute, queue_us, total_us,"
    " bytes_in, bytes_out, attempts)"
    " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21)";

inline constexpr std::string_view kInsertGroup =
    "INSERT INTO call_groups(last_ms, principal, method, tool, server, route, outcome, message,"
    " policy, circuit, circuit_before, circuit_after, substitute, calls)"
    " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)";

inline constexpr std::string_view kInsertEvent =
    "INSERT INTO events(at_ms, kind, server, subject, what, reason, wait_ms, attempt, max_attempts,"
    " call_id) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)";

/// Several processes add to one row.
inline constexpr std::string_view kAddTotal =
    "INSERT INTO totals(minute_ms, server, tool, outcome, calls, total_us) "
    "VALUES(?1,?2,?3,?4,?5,?6)"
    " ON CONFLICT(minute_ms, server, tool, outcome) DO UPDATE SET calls = calls + excluded.calls,"
    " total_us = total_us + excluded.total_us";

}  // namespace holdfast::telemetry
