#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

struct sqlite3;
struct sqlite3_stmt;

// A thin wrapper of the required SQLite functions, with results instead of codes.

namespace holdfast::telemetry {

struct SqliteFault {
    int code = 0;              ///< The primary code of SQLite.
    std::string message = {};  ///< In its words.

    /// The file is not a database, or is damaged.
    [[nodiscard]] bool is_corrupt() const noexcept;
};

template <class T>
using SqliteResult = resilience::Result<T, SqliteFault>;

/// A prepared statement. Its database must outlive it.
///
/// Thread-safety: none.
class Statement final {
public:
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

    /// Binds a value by its position, starting at 1. The text must live until the end of the next
    /// `step`.
    Statement& bind(int place, std::int64_t value);
    Statement& bind(int place, std::string_view text);
    Statement& bind(int place, std::string&& text) = delete;
    /// Returns whether there is a row. After the last row the statement accepts new values.
    [[nodiscard]] SqliteResult<bool> step();

    [[nodiscard]] int column_count() const;
    [[nodiscard]] std::string column_name(int column) const;
    [[nodiscard]] bool is_number(int column) const;
    [[nodiscard]] std::int64_t number(int column) const;
    [[nodiscard]] std::string text(int column) const;

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

struct DatabaseOptions {
    std::string path = {};
    bool is_read_only = false;
    resilience::Duration busy_timeout = std::chrono::seconds{2};
    std::string vfs = {};  ///< Empty = the usual.
};

/// A connection to a file.
///
/// Thread-safety: none; may be moved between threads.
class Database final {
public:
    [[nodiscard]] static SqliteResult<Database> open(const DatabaseOptions& options);

    /// Runs statements without results.
    [[nodiscard]] SqliteResult<void> execute(const std::string& sql);
    [[nodiscard]] SqliteResult<Statement> prepare(const std::string& sql);
    /// Returns the first number of the first row; zero without rows.
    [[nodiscard]] SqliteResult<std::int64_t> number(const std::string& sql);
    /// The number of rows that the last statement changed.
    [[nodiscard]] std::int64_t changes() const;

private:
    struct Close {
        void operator()(sqlite3* database) const noexcept;
    };
    explicit Database(sqlite3* database) : database_(database) {}

    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace holdfast::telemetry
