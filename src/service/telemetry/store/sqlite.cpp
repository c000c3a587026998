#include "telemetry/store/sqlite.hpp"

#include <sqlite3.h>

#include <chrono>

namespace holdfast::telemetry {
namespace {

constexpr int kPrimaryMask = 0xff;

SqliteFault fault_of(sqlite3* database, int code) {
    return {.code = code & kPrimaryMask,
            .message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code)};
}

}  // namespace

bool SqliteFault::is_corrupt() const noexcept {
    return code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

Statement& Statement::bind(int place, std::int64_t value) {
    sqlite3_bind_int64(statement_.get(), place, value);
    return *this;
}

Statement& Statement::bind(int place, std::string_view text) {
    // SQLite would bind a null pointer as NULL instead of an empty text.
    const char* const begin = text.empty() ? "" : text.data();
    sqlite3_bind_text64(statement_.get(), place, begin, text.size(), nullptr, SQLITE_UTF8);
    return *this;
}

SqliteResult<bool> Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code == SQLITE_DONE) {
        sqlite3_reset(statement_.get());
        return false;
    }
    const SqliteFault fault = fault_of(sqlite3_db_handle(statement_.get()), code);
    sqlite3_reset(statement_.get());
    return fault;
}

int Statement::column_count() const {
    return sqlite3_column_count(statement_.get());
}

std::string Statement::column_name(int column) const {
    return sqlite3_column_name(statement_.get(), column);
}

bool Statement::is_number(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
    const unsigned char* bytes = sqlite3_column_text(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return bytes == nullptr ? std::string{} : std::string{bytes, bytes + size};
}

void Database::Close::operator()(sqlite3* database) const noexcept {
    sqlite3_close_v2(database);
}

SqliteResult<Database> Database::open(const DatabaseOptions& options) {
    sqlite3* raw = nullptr;
    const int access =
        options.is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int code = sqlite3_open_v2(options.path.c_str(), &raw, access | SQLITE_OPEN_NOMUTEX,
                                     options.vfs.empty() ? nullptr : options.vfs.c_str());
    Database database{raw};  // Must be closed after a failure too.
    if (code != SQLITE_OK) {
        return fault_of(raw, code);
    }
    const auto busy = std::chrono::ceil<std::chrono::milliseconds>(options.busy_timeout);
    sqlite3_busy_timeout(raw, static_cast<int>(busy.count()));
    return database;
}

SqliteResult<void> Database::execute(const std::string& sql) {
    const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        return fault_of(database_.get(), code);
    }
    return {};
}

SqliteResult<Statement> Database::prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(),
                                        static_cast<int>(sql.size()) + 1, &statement, nullptr);
    if (code != SQLITE_OK) {
        return fault_of(database_.get(), code);
    }
    return Statement{statement};
}

SqliteResult<std::int64_t> Database::number(const std::string& sql) {
    auto statement = prepare(sql);
    if (!statement) {
        return statement.error();
    }
    const auto has_row = statement->step();
    if (!has_row) {
        return has_row.error();
    }
    return *has_row ? statement->number(0) : 0;
}

std::int64_t Database::changes() const {
    return sqlite3_changes64(database_.get());
}

}  // namespace holdfast::telemetry
