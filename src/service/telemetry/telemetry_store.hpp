#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/limits.hpp"
#include "holdfast/resilience/time.hpp"
#include "platform/worker_thread.hpp"
#include "record/call_record.hpp"
#include "record/event.hpp"
#include "telemetry/metrics.hpp"

namespace holdfast::telemetry {

class StoreWriter;
struct StoredItem;

struct StoreOptions {
    std::string path = {};
    double sample = 0.01;  ///< The share of calls without a failure that is stored; 1 = each.
    resilience::Duration keep = std::chrono::hours{14 * 24};
    std::size_t max_size_bytes = 200 * config::kMegabyte;  ///< Beyond it the oldest are deleted.
    std::size_t max_queued = 20'000;                       ///< Waiting to be written.
    std::size_t max_queued_bytes = 32 * config::kMegabyte;
    std::size_t max_waiting_totals = 50'000;  ///< Totals of minutes that are not written yet.
    resilience::Duration flush_every = std::chrono::milliseconds{250};
    resilience::Duration totals_every = std::chrono::seconds{10};
    resilience::Duration clean_every = std::chrono::minutes{1};
    resilience::Duration busy_timeout = std::chrono::seconds{2};  ///< For another process.
    /// Delay between attempts to write the file; doubles up to `max_retry`.
    resilience::Duration first_retry = std::chrono::seconds{1};
    resilience::Duration max_retry = std::chrono::minutes{1};
    /// A write that takes longer than this is reported as stalled.
    resilience::Duration stalled_after = std::chrono::seconds{5};
    /// Time limit for the last write; a disk that hangs longer is abandoned.
    resilience::Duration finish_within = std::chrono::seconds{2};
    std::string vfs = {};  ///< Name of the SQLite VFS; empty = the default.
};

enum class StoreState : std::uint8_t {
    on,
    counters_only,  ///< The file cannot be written; it is tried again and again.
};

/// Returns `on` or `counters_only`.
[[nodiscard]] std::string_view text_of(StoreState state) noexcept;

struct StoreStatus {
    StoreState state = StoreState::on;
    std::string reason = {};    ///< Why it is not on, in words.
    std::uint64_t stored = 0;   ///< Calls and events.
    std::uint64_t dropped = 0;  ///< For which there was no room in the queue.
    std::size_t queued = 0;
};

/// The inputs of the store. All are called on its own thread, never after `stop`.
struct StoreSources {
    std::function<std::int64_t()> now_ms = {};  ///< Since the epoch; may jump.
    /// A clock that never jumps. If empty, jumps of the other one are not noticed.
    std::function<std::int64_t()> uptime_ms = {};
    std::function<std::vector<CallTotal>()> totals = {};  ///< Since the start. May be empty.
    /// Called when the state changed. May be empty.
    std::function<void(const StoreStatus&)> on_change = {};
};

/// Stores calls and events in an SQLite file. Producers never wait: one thread writes the items of
/// a bounded queue, and items that do not fit are dropped and counted. While the file cannot be
/// written, only counters are kept, and the file is retried with growing delays. A file that is not
/// a valid database is moved aside. Several processes may write to one file.
///
/// Thread-safety: `put`, `status` and `flush` from any thread.
class TelemetryStore final {
public:
    /// Does not open the file; the thread does that.
    TelemetryStore(const StoreOptions& options, StoreSources sources);
    TelemetryStore(const TelemetryStore&) = delete;
    TelemetryStore& operator=(const TelemetryStore&) = delete;
    ~TelemetryStore() = default;

    /// Stores all failed calls, and a sample of the others that is chosen by their ids.
    void put(std::shared_ptr<const record::CallRecord> call);
    void put(std::shared_ptr<const record::Event> event);
    [[nodiscard]] StoreStatus status() const;

    /// Waits until everything put before has been written, or a write was attempted. Returns false
    /// if that takes longer.
    bool flush(resilience::Duration within) { return thread_.flush(within); }
    /// Writes the remaining items. Returns in a bounded time, even if the disk hangs.
    void stop() { thread_.stop(); }

private:
    struct State;
    void put_item(StoredItem item);
    /// Writes what is queued. Returns how long to wait for the next round.
    static resilience::Duration round(State& state, StoreWriter& writer,
                                      platform::WorkerThread::Worker& worker);

    const std::shared_ptr<State> state_;  // shared with a thread that may be detached
    platform::WorkerThread thread_;
};

}  // namespace holdfast::telemetry
