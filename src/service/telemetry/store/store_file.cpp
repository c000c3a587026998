#include "telemetry/store/store_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "telemetry/store/store_schema.hpp"

namespace holdfast::telemetry {
namespace {

namespace fs = std::filesystem;

/// Small enough to read quickly; larger groups would save nothing.
constexpr std::size_t kMaxCallsInGroup = 256;

StoreFault fault_with(const SqliteFault& fault, ino_t inode) {
    return {.reason = fault.message, .is_corrupt = fault.is_corrupt(), .inode = inode};
}

std::string last_system_error() {
    return std::error_code{errno, std::generic_category()}.message();
}

ino_t inode_of(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

/// Anything but a plain file could block SQLite forever. A new file is private to this user.
StoreResult<ino_t> prepare_path(const std::string& path) {
    std::error_code error;
    const fs::path folder = fs::path{path}.parent_path();
    const bool is_new_folder = !folder.empty() && fs::create_directories(folder, error);
    if (is_new_folder) {
        fs::permissions(folder, fs::perms::owner_all, error);
    }
    const auto status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        return StoreFault{.reason = "\"" + path + "\" is not a regular file"};
    }
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file < 0) {
        return StoreFault{.reason = "\"" + path + "\" cannot be opened: " + last_system_error()};
    }
    ::close(file);
    return inode_of(path);
}

/// Creates everything that an empty or older file lacks.
std::string schema_text() {
    std::string sql{kSchema};
    sql.append("CREATE VIEW IF NOT EXISTS all_calls AS SELECT ").append(kCallColumns);
    sql.append(" FROM (").append(kSelectRows).append(" UNION ALL ").append(kSelectGrouped);
    sql.append(");");
    return sql + "PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
}

/// Two processes may do this at once: the first one's lock makes the second see its tables.
SqliteResult<std::int64_t> make_tables(Database& database) {
    if (auto begun = database.execute("BEGIN IMMEDIATE"); !begun) {
        return begun.error();
    }
    auto version = database.number("PRAGMA user_version");
    if (!version) {
        return version.error();
    }
    if (*version < kSchemaVersion) {
        auto made = database.execute(schema_text());
        if (!made) {
            return made.error();
        }
        version = std::int64_t{kSchemaVersion};
    }
    if (auto done = database.execute("COMMIT"); !done) {
        return done.error();
    }
    return version;
}

/// Returns the version of the tables.
SqliteResult<std::int64_t> set_up(Database& database) {
    // Must run before the first table exists. A few megabytes of log suffice.
    auto set = database.execute(
        "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "PRAGMA journal_size_limit = 4194304;");
    if (!set) {
        return set.error();
    }
    const auto version = database.number("PRAGMA user_version");
    return version && *version < kSchemaVersion ? make_tables(database) : version;
}

}  // namespace

StoreFile::StoreFile(StoreFileOptions options, ino_t inode, Database database,
                     Statements statements)
    : options_(std::move(options)),
      database_(std::move(database)),
      statements_(std::move(statements)),
      groups_(kMaxCallsInGroup),
      inode_(inode) {}

StoreResult<StoreFile> StoreFile::open(const StoreFileOptions& options) {
    const auto inode = prepare_path(options.path);
    if (!inode) {
        return inode.error();
    }
    auto database = Database::open(
        {.path = options.path, .busy_timeout = options.busy_timeout, .vfs = options.vfs});
    if (!database) {
        return fault_with(database.error(), *inode);
    }
    const auto version = set_up(*database);
    if (!version) {
        return fault_with(version.error(), *inode);
    }
    if (*version != kSchemaVersion) {
        return StoreFault{.reason = "\"" + options.path + "\" is of another version of holdfast"};
    }
    auto call = database->prepare(std::string{kInsertCall});
    auto group = database->prepare(std::string{kInsertGroup});
    auto event = database->prepare(std::string{kInsertEvent});
    auto total = database->prepare(std::string{kAddTotal});
    for (const auto* statement : {&call, &group, &event, &total}) {
        if (!*statement) {
            return fault_with(statement->error(), *inode);
        }
    }
    return StoreFile{options, *inode, std::move(*database),
                     Statements{.insert_call = std::move(*call),
                                .insert_group = std::move(*group),
                                .insert_event = std::move(*event),
                                .add_total = std::move(*total)}};
}

StoreFault StoreFile::fault_from(const SqliteFault& fault) const {
    return fault_with(fault, inode_);
}

bool StoreFile::is_in_place() const {
    return inode_ != 0 && inode_of(options_.path) == inode_;
}

StoreResult<void> StoreFile::write(const std::vector<StoredItem>& items,
                                   const std::vector<MinuteTotal>& totals) {
    const auto written = write_all(items, totals);
    groups_.clear();  // they refer to calls that the caller may release
    if (!written) {
        std::ignore = database_.execute("ROLLBACK");  // There may be nothing to roll back.
        return fault_from(written.error());
    }
    return {};
}

SqliteResult<void> StoreFile::write_all(const std::vector<StoredItem>& items,
                                        const std::vector<MinuteTotal>& totals) {
    if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun) {
        return begun;
    }
    for (const StoredItem& item : items) {
        if (item.call && !item.call->is_failure()) {
            groups_.add(*item.call);
            continue;
        }
        if (auto inserted = item.call ? insert(*item.call) : insert(*item.event); !inserted) {
            return inserted.error();
        }
    }
    for (const CallGroup& group : groups_.all()) {
        if (auto inserted = insert(group); !inserted) {
            return inserted.error();
        }
    }
    for (const MinuteTotal& total : totals) {
        if (auto added = add(total); !added) {
            return added.error();
        }
    }
    return database_.execute("COMMIT");
}

SqliteResult<bool> StoreFile::insert(const record::CallRecord& call) {
    attempts_.clear();
    append_attempts(attempts_, call.attempts);
    session_ = session_text(call.session);
    Statement& insert_call = statements_.insert_call;
    int place = 0;
    insert_call.bind(++place, call.at_ms).bind(++place, call.id).bind(++place, call.principal);
    insert_call.bind(++place, session_).bind(++place, call.method).bind(++place, call.tool);
    insert_call.bind(++place, call.server).bind(++place, call.route).bind(++place, call.outcome);
    insert_call.bind(++place, std::int64_t{call.is_failure()}).bind(++place, call.message);
    insert_call.bind(++place, call.policy).bind(++place, call.circuit);
    insert_call.bind(++place, call.circuit_before).bind(++place, call.circuit_after);
    insert_call.bind(++place, call.substitute).bind(++place, call.queue_us);
    insert_call.bind(++place, call.total_us);
    insert_call.bind(++place, static_cast<std::int64_t>(call.bytes_in));
    insert_call.bind(++place, static_cast<std::int64_t>(call.bytes_out));
    insert_call.bind(++place, attempts_);
    return insert_call.step();
}

SqliteResult<bool> StoreFile::insert(const CallGroup& group) {
    const record::CallRecord& call = *group.first;
    Statement& insert_group = statements_.insert_group;
    int place = 0;
    insert_group.bind(++place, group.last_ms).bind(++place, call.principal);
    insert_group.bind(++place, call.method).bind(++place, call.tool).bind(++place, call.server);
    insert_group.bind(++place, call.route).bind(++place, call.outcome).bind(++place, call.message);
    insert_group.bind(++place, call.policy).bind(++place, call.circuit);
    insert_group.bind(++place, call.circuit_before).bind(++place, call.circuit_after);
    insert_group.bind(++place, call.substitute).bind(++place, group.calls);
    return insert_group.step();
}

SqliteResult<bool> StoreFile::insert(const record::Event& event) {
    Statement& insert_event = statements_.insert_event;
    int place = 0;
    insert_event.bind(++place, event.at_ms)
        .bind(++place, text_of(event.kind))
        .bind(++place, event.server);
    insert_event.bind(++place, event.subject).bind(++place, event.what_text());
    insert_event.bind(++place, event.reason).bind(++place, event.wait_ms);
    insert_event.bind(++place, std::int64_t{event.attempt});
    insert_event.bind(++place, std::int64_t{event.max_attempts}).bind(++place, event.call_id);
    return insert_event.step();
}

SqliteResult<bool> StoreFile::add(const MinuteTotal& total) {
    Statement& add_total = statements_.add_total;
    int place = 0;
    add_total.bind(++place, total.minute_ms).bind(++place, total.total.server);
    add_total.bind(++place, total.total.tool).bind(++place, total.total.outcome);
    add_total.bind(++place, static_cast<std::int64_t>(total.total.calls));
    add_total.bind(++place, static_cast<std::int64_t>(total.total.total_us));
    return add_total.step();
}

std::string moved_aside(const std::string& path, ino_t inode, std::int64_t now_ms) {
    if (inode_of(path) != inode) {
        return {};
    }
    std::string aside = path + ".broken-" + std::to_string(now_ms);
    std::error_code error;
    fs::rename(path, aside, error);
    if (error) {
        return {};
    }
    for (const char* suffix : {"-wal", "-shm"}) {
        fs::rename(path + suffix, aside + suffix, error);  // May not exist.
    }
    return aside;
}

}  // namespace holdfast::telemetry
