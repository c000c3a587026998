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
#include "record/records.hpp"
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
    /// Between tries while the file cannot be written; doubles up to the second.
    resilience::Duration first_retry = std::chrono::seconds{1};
    resilience::Duration max_retry = std::chrono::minutes{1};
    /// A write that takes longer than this is said to hang.
    resilience::Duration stalled_after = std::chrono::seconds{5};
    /// For the last write when it ends; a disk that hangs for longer is left alone with it.
    resilience::Duration finish_within = std::chrono::seconds{2};
    std::string vfs = {};  ///< How SQLite reaches the disk; empty = its own way.
};

enum class StoreState : std::uint8_t {
    on,
    counters_only,  ///< The file cannot be written; it is tried again and again.
};

/// `on`, `counters_only`.
[[nodiscard]] std::string_view text_of(StoreState state) noexcept;

struct StoreStatus {
    StoreState state = StoreState::on;
    std::string reason = {};    ///< Why it is not on, in words.
    std::uint64_t stored = 0;   ///< Calls and events.
    std::uint64_t dropped = 0;  ///< For which there was no room in the queue.
    std::size_t queued = 0;
};

/// What the store needs of others. All are called from its own thread, never after `stop`.
struct StoreSources {
    std::function<std::int64_t()> now_ms = {};  ///< Since the epoch; must live as long as any.
    std::function<std::vector<CallTotal>()> totals = {};  ///< Since the start. May be empty.
    /// Told when the state changed. May be empty.
    std::function<void(const StoreStatus&)> on_change = {};
};

/// Keeps calls and events in an SQLite file. Whoever brings them never waits: one thread writes
/// what is in a bounded queue, and what finds no room there is dropped and counted. While the file
/// cannot be written only counters are kept; the file is tried again with a growing delay. A file
/// that is no good database is moved aside. Several processes may write to one file.
///
/// Thread-safety: `put`, `status` and `flush` from any thread.
class TelemetryStore final {
public:
    /// Opens nothing yet: that is done by the thread.
    TelemetryStore(const StoreOptions& options, StoreSources sources);
    TelemetryStore(const TelemetryStore&) = delete;
    TelemetryStore& operator=(const TelemetryStore&) = delete;
    ~TelemetryStore() = default;

    /// Takes failures always, other calls as the sample says; which ones, follows from their ids.
    void put(std::shared_ptr<const record::CallRecord> call);
    void put(std::shared_ptr<const record::Event> event);
    [[nodiscard]] StoreStatus status() const;

    /// Waits until all that was put before has been written, or writing it has been tried. False if
    /// that takes longer.
    bool flush(resilience::Duration within) { return thread_.flush(within); }
    /// Writes what is left. Returns in a bounded time, also when the disk hangs.
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
