#include "telemetry/store_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/iso_time.hpp"
#include "telemetry/store/sqlite.hpp"
#include "telemetry/store/store_schema.hpp"

namespace holdfast::telemetry {

struct StoreReader::Connection {
    Database database;
};

namespace {

/// The same condition as `CallRecord::is_server_failure`.
constexpr std::string_view kIsServerFailure =
    "outcome NOT IN ('ok', 'tool_error', 'cancelled', 'INVALID_ARGUMENTS', 'TOOL_NOT_FOUND',"
    " 'HELD_BACK')";

using ServersByName = std::map<std::string, ServerReport>;

FailureCause& cause_of(ServerReport& server, const std::string& code) {
    const auto found = std::ranges::find(server.causes, code, &FailureCause::code);
    return found != server.causes.end() ? *found : server.causes.emplace_back(FailureCause{code});
}

/// Runs a query with the filter as ?1 and ?2, and passes each row to `take`.
SqliteResult<std::uint64_t> each(Database& database, const std::string& sql,
                                 const StoreFilter& filter,
                                 const std::function<void(const Statement&)>& take) {
    auto statement = database.prepare(sql);
    if (!statement) {
        return statement.error();
    }
    statement->bind(1, filter.since_ms).bind(2, filter.server);
    std::uint64_t count = 0;
    auto has_row = statement->step();
    for (; has_row && *has_row; has_row = statement->step()) {
        take(*statement);
        ++count;
    }
    if (!has_row) {
        return has_row.error();
    }
    return count;
}

SqliteResult<std::uint64_t> read_totals(Database& database, const StoreFilter& filter,
                                        ServersByName& servers) {
    return each(database,
                "SELECT server, outcome, sum(calls), " + std::string{kIsServerFailure} +
                    " FROM totals WHERE minute_ms >= ?1 AND (?2 = '' OR server = ?2)"
                    " GROUP BY server, outcome",
                filter, [&servers](const Statement& row) {
                    ServerReport& server = servers[row.text(0)];
                    const auto count = static_cast<std::uint64_t>(row.number(2));
                    server.calls += count;
                    if (row.number(3) != 0) {
                        cause_of(server, row.text(1)).count = count;
                    }
                });
}

SqliteResult<std::uint64_t> read_hours(Database& database, const StoreFilter& filter,
                                       ServersByName& servers) {
    return each(database,
                "SELECT server, minute_ms / 3600000 * 3600000 AS hour, sum(calls) FROM totals"
                " WHERE minute_ms >= ?1 AND (?2 = '' OR server = ?2) AND " +
                    std::string{kIsServerFailure} + " GROUP BY server, hour ORDER BY hour",
                filter, [&servers](const Statement& row) {
                    ServerReport& server = servers[row.text(0)];
                    const auto count = static_cast<std::uint64_t>(row.number(2));
                    if (count >= server.busiest_hour_failures) {
                        server.busiest_hour_ms = row.number(1);
                        server.busiest_hour_failures = count;
                    }
                });
}

// SQLite guarantees that columns next to max() come from the row with the maximum. Counts the calls
// that the totals lack, because they are written less often.
SqliteResult<std::uint64_t> read_failures(Database& database, const StoreFilter& filter,
                                          ServersByName& servers) {
    return each(database,
                "SELECT server, outcome, max(at_ms), tool, message, count(*) FROM calls"
                " WHERE at_ms >= ?1 AND (?2 = '' OR server = ?2) AND failed AND " +
                    std::string{kIsServerFailure} + " GROUP BY server, outcome",
                filter, [&servers](const Statement& row) {
                    ServerReport& server = servers[row.text(0)];
                    FailureCause& cause = cause_of(server, row.text(1));
                    cause.last_at_ms = row.number(2);
                    cause.tool = row.text(3);
                    cause.message = row.text(4);
                    cause.count = std::max(cause.count, static_cast<std::uint64_t>(row.number(5)));
                    server.last_failure_ms =
                        std::max(server.last_failure_ms.value_or(0), row.number(2));
                });
}

SqliteResult<std::uint64_t> read_events(Database& database, const StoreFilter& filter,
                                        std::vector<EventReport>& events) {
    return each(database,
                "SELECT kind, what, CASE WHEN kind = 'router' THEN '' WHEN subject = '' THEN server"
                " ELSE subject END AS name, count(*) AS count, max(at_ms) FROM events"
                " WHERE at_ms >= ?1 AND (?2 = '' OR server = ?2 OR subject = ?2)"
                " GROUP BY kind, what, name ORDER BY kind, count DESC, name",
                filter, [&events](const Statement& row) {
                    events.push_back({.kind = row.text(0),
                                      .what = row.text(1),
                                      .name = row.text(2),
                                      .count = static_cast<std::uint64_t>(row.number(3)),
                                      .last_at_ms = row.number(4)});
                });
}

std::vector<ServerReport> sorted(ServersByName servers) {
    std::vector<ServerReport> list;
    list.reserve(servers.size());
    for (auto& [name, server] : servers) {
        server.server = name;
        for (const FailureCause& cause : server.causes) {
            server.failures += cause.count;
        }
        server.calls = std::max(server.calls, server.failures);
        std::ranges::sort(server.causes, [](const FailureCause& one, const FailureCause& other) {
            return one.count != other.count ? one.count > other.count : one.code < other.code;
        });
        list.push_back(std::move(server));
    }
    std::ranges::sort(list, [](const ServerReport& one, const ServerReport& other) {
        return one.failures != other.failures ? one.failures > other.failures
                                              : one.server < other.server;
    });
    return list;
}

/// The same rows as the view, but skips groups that are too old.
std::string calls_select() {
    std::string sql{"SELECT "};
    sql.append(kCallColumns).append(" FROM (");
    sql.append(kSelectRows).append(" WHERE at_ms >= ?1 UNION ALL ");
    sql.append(kSelectGrouped).append(" WHERE last_ms >= ?1)");
    return sql + " WHERE at_ms >= ?1 AND (?2 = '' OR server = ?2) ORDER BY at_ms, n, place";
}

std::string select_of(StoreTable table) {
    switch (table) {
        case StoreTable::calls:
            return calls_select();
        case StoreTable::events:
            return "SELECT at_ms, kind, server, subject, what, reason, wait_ms, attempt,"
                   " max_attempts, call_id FROM events WHERE at_ms >= ?1 AND"
                   " (?2 = '' OR server = ?2 OR subject = ?2) ORDER BY at_ms, n";
        case StoreTable::totals:
            return "SELECT * FROM totals WHERE minute_ms >= ?1 AND (?2 = '' OR server = ?2)"
                   " ORDER BY minute_ms, server, tool, outcome";
    }
    return {};
}

StoredValue value_of(const Statement& row, int column) {
    const std::string name = row.column_name(column);
    if (name == "at_ms") {
        return {.name = "at", .text = base::iso_time(row.number(column))};
    }
    if (name == "minute_ms") {
        return {.name = "minute", .text = base::iso_time(row.number(column))};
    }
    return {.name = name, .text = row.text(column), .is_number = row.is_number(column)};
}

}  // namespace

StoreReader::StoreReader(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
StoreReader::StoreReader(StoreReader&& other) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&& other) noexcept = default;
StoreReader::~StoreReader() = default;

StoreReader::Outcome<StoreReader> StoreReader::open(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return Fault{"there is no telemetry at \"" + path + "\""};
    }
    auto database = Database::open({.path = path, .is_read_only = true});
    const auto version = database ? database->number("PRAGMA user_version")
                                  : SqliteResult<std::int64_t>{database.error()};
    if (!version) {
        return Fault{"\"" + path + "\" cannot be read: " + version.error().message};
    }
    if (*version != kSchemaVersion) {
        return Fault{"\"" + path + "\" has no telemetry of this version of holdfast"};
    }
    return StoreReader{std::make_unique<Connection>(Connection{std::move(*database)})};
}

StoreReader::Outcome<StoreReport> StoreReader::report(const StoreFilter& filter) {
    Database& database = connection_->database;
    StoreFilter of_minutes = filter;  // Totals have a resolution of one minute.
    of_minutes.since_ms -= of_minutes.since_ms % kMinuteMs;
    ServersByName servers;
    StoreReport report;
    for (const auto& done :
         {read_totals(database, of_minutes, servers), read_hours(database, of_minutes, servers),
          read_failures(database, of_minutes, servers),
          read_events(database, filter, report.events)}) {
        if (!done) {
            return Fault{done.error().message};
        }
    }
    report.servers = sorted(std::move(servers));
    return report;
}

StoreReader::Outcome<std::uint64_t> StoreReader::each_row(StoreTable table,
                                                          const StoreFilter& filter,
                                                          const std::function<void(Row)>& take) {
    std::vector<StoredValue> values;
    const auto done = each(connection_->database, select_of(table), filter,
                           [&values, &take](const Statement& row) {
                               values.clear();
                               for (int column = 0; column < row.column_count(); ++column) {
                                   values.push_back(value_of(row, column));
                               }
                               take(values);
                           });
    if (!done) {
        return Fault{done.error().message};
    }
    return *done;
}

}  // namespace holdfast::telemetry
