#include "telemetry/telemetry_store.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"
#include "telemetry/store/store_queue.hpp"
#include "telemetry/store/store_writer.hpp"

namespace holdfast::telemetry {
namespace {

/// Decides by the id alone, so that threads share no state.
bool is_in_sample(std::string_view id, double share) {
    constexpr double kRange = 4'294'967'296.0;
    const auto spread = static_cast<std::uint32_t>(std::hash<std::string_view>{}(id));
    return static_cast<double>(spread) < share * kRange;
}

}  // namespace

std::string_view text_of(StoreState state) noexcept {
    return state == StoreState::on ? "on" : "counters_only";
}

struct TelemetryStore::State {
    State(const StoreOptions& the_options, StoreSources the_sources)
        : options(the_options),
          sources(std::move(the_sources)),
          queue(options.max_queued, options.max_queued_bytes) {}

    const StoreOptions options;
    const StoreSources sources;
    StoreQueue queue;
    std::atomic<std::uint64_t> stored = 0;
    std::atomic<std::int64_t> round_began_ms = 0;  // zero = no round is running
    resilience::Synchronized<std::string> fault;   // empty = no fault

    [[nodiscard]] StoreStatus status() const;
};

StoreStatus TelemetryStore::State::status() const {
    StoreStatus status{.reason = fault.with([](const std::string& text) { return text; }),
                       .stored = stored.load(std::memory_order_relaxed),
                       .dropped = queue.dropped(),
                       .queued = queue.count()};
    const std::int64_t began_ms = round_began_ms.load(std::memory_order_relaxed);
    const auto limit_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(options.stalled_after).count();
    if (status.reason.empty() && began_ms != 0 && sources.now_ms() - began_ms > limit_ms) {
        status.reason = "the disk does not answer";
    }
    status.state = status.reason.empty() ? StoreState::on : StoreState::counters_only;
    return status;
}

TelemetryStore::TelemetryStore(const StoreOptions& options, StoreSources sources)
    : state_(std::make_shared<State>(options, std::move(sources))),
      thread_(
          {.finish_within = options.finish_within, .first_step_after = options.flush_every},
          // The thread owns the writer: when it ends, the file is closed.
          [state = state_, writer = std::make_shared<StoreWriter>(state_->options, state_->queue)](
              auto& worker) { return round(*state, *writer, worker); }) {}

void TelemetryStore::put(std::shared_ptr<const record::CallRecord> call) {
    const double sample = state_->options.sample;
    if (sample < 1 && !call->is_failure() && !is_in_sample(call->id, sample)) {
        return;
    }
    put_item({.call = std::move(call)});
}

void TelemetryStore::put(std::shared_ptr<const record::Event> event) {
    put_item({.event = std::move(event)});
}

void TelemetryStore::put_item(StoredItem item) {
    const bool was_half_full = state_->queue.is_half_full();
    if (state_->queue.try_put(std::move(item)) && !was_half_full && state_->queue.is_half_full()) {
        thread_.wake();
    }
}

StoreStatus TelemetryStore::status() const {
    return state_->status();
}

resilience::Duration TelemetryStore::round(State& state, StoreWriter& writer,
                                           platform::WorkerThread::Worker& worker) {
    // The sources belong to the owner, which may have left while the disk was hanging.
    const auto counts = [&state, &worker] {
        std::vector<CallTotal> totals;
        if (state.sources.totals) {
            worker.with_owner([&] { totals = state.sources.totals(); });
        }
        return totals;
    };
    const bool was_fine = writer.fault().empty();
    state.round_began_ms.store(state.sources.now_ms(), std::memory_order_relaxed);
    const std::int64_t now_ms = state.sources.now_ms();
    const std::int64_t uptime_ms = state.sources.uptime_ms ? state.sources.uptime_ms() : now_ms;
    writer.round({.now_ms = now_ms, .uptime_ms = uptime_ms}, counts, worker.is_stopping());
    state.round_began_ms.store(0, std::memory_order_relaxed);
    state.stored.store(writer.stored(), std::memory_order_relaxed);
    state.fault.with([&writer](std::string& fault) { fault = writer.fault(); });
    if (was_fine != writer.fault().empty() && state.sources.on_change) {
        worker.with_owner([&state] { state.sources.on_change(state.status()); });
    }
    return writer.wait();
}

}  // namespace holdfast::telemetry
