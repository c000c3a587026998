#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/limits.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"
#include "telemetry/store/call_groups.hpp"
#include "telemetry/store/minute_totals.hpp"
#include "telemetry/store/sqlite.hpp"
#include "telemetry/store/store_queue.hpp"

namespace holdfast::telemetry {

struct StoreFileOptions {
    std::string path = {};
    std::size_t max_size_bytes = 200 * config::kMegabyte;
    resilience::Duration busy_timeout = std::chrono::seconds{2};
    std::string vfs = {};
};

struct StoreFault {
    std::string reason = {};  ///< In words.
    bool is_corrupt = false;  ///< The file is of no use as it is.
    ino_t inode = 0;          ///< Of that file.
};

template <class T>
using StoreResult = resilience::Result<T, StoreFault>;

/// The open file with its tables. Unusable after a fault.
///
/// Thread-safety: none.
class StoreFile final {
public:
    /// Creates the file, its folder and its tables if necessary; private to this user.
    [[nodiscard]] static StoreResult<StoreFile> open(const StoreFileOptions& options);

    /// Writes everything or nothing.
    [[nodiscard]] StoreResult<void> write(const std::vector<StoredItem>& items,
                                          const std::vector<MinuteTotal>& totals);
    /// The time of the newest call or event; none if there is none.
    [[nodiscard]] StoreResult<std::optional<std::int64_t>> newest_ms();
    /// Deletes the rows before this time.
    [[nodiscard]] StoreResult<void> delete_before(std::int64_t oldest_ms);
    /// Deletes the oldest rows while the file is too large.
    [[nodiscard]] StoreResult<void> keep_small();
    /// Whether the path still refers to this file.
    [[nodiscard]] bool is_in_place() const;

private:
    struct Statements {
        Statement insert_call;
        Statement insert_group;
        Statement insert_event;
        Statement add_total;
    };
    StoreFile(StoreFileOptions options, ino_t inode, Database database, Statements statements);

    [[nodiscard]] StoreFault fault_from(const SqliteFault& fault) const;

    [[nodiscard]] SqliteResult<void> write_all(const std::vector<StoredItem>& items,
                                               const std::vector<MinuteTotal>& totals);
    [[nodiscard]] SqliteResult<bool> insert(const record::CallRecord& call);
    [[nodiscard]] SqliteResult<bool> insert(const CallGroup& group);
    [[nodiscard]] SqliteResult<bool> insert(const record::Event& event);
    [[nodiscard]] SqliteResult<bool> add(const MinuteTotal& total);
    [[nodiscard]] SqliteResult<std::int64_t> used_bytes();
    [[nodiscard]] SqliteResult<void> delete_oldest_part();

    StoreFileOptions options_;
    Database database_;
    Statements statements_;
    std::string attempts_;  // of the current call, as JSON
    std::string session_;
    CallGroups groups_;
    ino_t inode_;
};

/// Renames an unusable file, including the files that SQLite keeps next to it, unless another
/// process has already replaced it. Returns the new name; empty if nothing was moved.
[[nodiscard]] std::string moved_aside(const std::string& path, ino_t inode, std::int64_t now_ms);

}  // namespace holdfast::telemetry
