#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "holdfast/resilience/observer.hpp"
#include "record/recorder.hpp"
#include "telemetry/circuit_timeline.hpp"
#include "telemetry/counters/pending_calls.hpp"
#include "telemetry/event_feed.hpp"
#include "telemetry/explained_calls.hpp"
#include "telemetry/last_errors.hpp"
#include "telemetry/metrics.hpp"
#include "telemetry/series.hpp"
#include "telemetry/telemetry_store.hpp"

namespace holdfast::telemetry {

struct RecordingOptions {
    ExplainedCallsOptions calls = {};
    EventFeedOptions events = {};
    MetricsOptions metrics = {};
    SeriesOptions series = {};
    CircuitTimelineOptions circuits = {};
    std::optional<StoreOptions> store = std::nullopt;  ///< Nothing = nothing is kept on disk.
    std::size_t max_text_bytes = 1'000;  ///< Of each message, reason and name; the rest is cut.
    bool keeps_query_text = false;       ///< Else a query is kept as its hash.
};

/// The dependencies of `Recording`. All may be called from any thread.
struct RecordingDeps {
    std::function<std::int64_t()> now_ms = {};  ///< Since the epoch; may jump.
    /// A clock that never jumps. May be empty; see `StoreSources`.
    std::function<std::int64_t()> uptime_ms = {};
    /// Replaces the secrets in a text. May be empty.
    std::function<void(std::string& text)> hide = {};
    /// Returns the stored form of a query; required unless the text itself may be stored.
    std::function<std::string(std::string_view query)> query_hash = {};
    /// Called when the store begins or ceases to work. May be empty.
    std::function<void(const StoreStatus& status)> on_store_change = {};
};

/// Receives calls and events and passes them to everything that stores or counts them: lookup,
/// display, metrics, store. Removes secrets and queries first.
///
/// The subject of a `router` event is the query.
///
/// A successful call waits in a lock-free queue of its thread until the queue is full, a reader
/// asks, or the store writes its totals. A failed call is counted at once.
///
/// Thread-safety: from any thread.
class Recording final : public record::Recorder, public resilience::Observer {
public:
    Recording(const RecordingOptions& options, RecordingDeps parts);
    ~Recording() override;

    void on_call(const record::CallRecord& record) override;
    void on_event(record::Event event) override;

    void on_transition(std::string_view name,
                       const resilience::CircuitTransition& transition) override;
    void on_refusal(std::string_view name, const resilience::Refusal& refusal) override;
    void on_retry(std::string_view name, const resilience::ScheduledRetry& retry) override;

    // These three first count all calls that were recorded before.
    [[nodiscard]] const ExplainedCalls& calls() { return counted(calls_); }
    [[nodiscard]] const Metrics& metrics() { return counted(metrics_); }
    [[nodiscard]] Series& series() { return counted(series_); }
    [[nodiscard]] EventFeed& events() noexcept { return events_; }
    [[nodiscard]] const CircuitTimeline& circuits() const noexcept { return circuits_; }
    [[nodiscard]] const LastErrors& last_errors() const noexcept { return last_errors_; }
    /// Returns nothing if no store is configured.
    [[nodiscard]] std::optional<StoreStatus> store_status() const;

    /// Waits until everything recorded before has been written, or a write was attempted. Returns
    /// false if that takes longer.
    bool flush(resilience::Duration within);
    /// Writes the remaining records in a bounded time. Stores nothing afterwards.
    void stop();

private:
    void clean(std::string& text) const;
    void on_call_with_words(record::CallRecord record);
    void keep(record::CallRecord record);
    /// Passes the waiting calls of all threads to everything that counts or stores them.
    void count_pending();
    void count(std::span<const record::KeptCall> calls);
    template <class Part>
    [[nodiscard]] Part& counted(Part& part) {
        count_pending();
        return part;
    }
    void on_store_change(const StoreStatus& status);

    const RecordingOptions options_;
    const RecordingDeps parts_;
    std::mutex counting_;  // held while waiting calls are taken and counted
    PendingCalls pending_;
    ExplainedCalls calls_;
    EventFeed events_;
    Metrics metrics_;
    Series series_;
    CircuitTimeline circuits_;
    LastErrors last_errors_;
    std::unique_ptr<TelemetryStore> store_;  // last, because its thread uses all members above
};

}  // namespace holdfast::telemetry
