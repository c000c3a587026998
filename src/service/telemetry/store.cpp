#include "telemetry/store.hpp"

#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"
#include "telemetry/store/store_queue.hpp"
#include "telemetry/store/store_writer.hpp"

namespace holdfast::telemetry {
namespace {

/// Which calls are in the sample follows from the id alone: no state that threads would share.
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
    std::atomic<std::int64_t> round_began_ms = 0;  // zero = none is under way
    resilience::Synchronized<std::string> fault;   // empty = there is none

    std::mutex mutex;
    std::condition_variable changed;
    // All of the following is guarded by `mutex`.
    std::uint64_t rounds_wanted = 0;
    std::uint64_t rounds_done = 0;
    bool is_hurried = false;
    bool is_ending = false;
    bool is_done = false;

    // Held while a source is called: once the owner has left, none is called any more.
    std::mutex outside;
    bool is_left_alone = false;  // guarded by `outside`

    [[nodiscard]] StoreStatus status() const;
    [[nodiscard]] std::vector<CallTotal> counts();
    void tell_change();
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

std::vector<CallTotal> TelemetryStore::State::counts() {
    const std::scoped_lock lock{outside};
    return is_left_alone || !sources.totals ? std::vector<CallTotal>{} : sources.totals();
}

void TelemetryStore::State::tell_change() {
    const std::scoped_lock lock{outside};
    if (!is_left_alone && sources.on_change) {
        sources.on_change(status());
    }
}

TelemetryStore::TelemetryStore(const StoreOptions& options, StoreSources sources)
    : state_(std::make_shared<State>(options, std::move(sources))),
      thread_([state = state_] { run(*state); }) {}

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
    if (!state_->queue.try_put(std::move(item)) || was_half_full || !state_->queue.is_half_full()) {
        return;
    }
    {
        const std::scoped_lock lock{state_->mutex};
        state_->is_hurried = true;
    }
    state_->changed.notify_all();
}

StoreStatus TelemetryStore::status() const {
    return state_->status();
}

bool TelemetryStore::flush(resilience::Duration within) {
    std::unique_lock lock{state_->mutex};
    const std::uint64_t wanted = ++state_->rounds_wanted;
    state_->changed.notify_all();
    return state_->changed.wait_for(
        lock, within, [this, wanted] { return state_->rounds_done >= wanted || state_->is_done; });
}

void TelemetryStore::stop() {
    if (!thread_.joinable()) {
        return;
    }
    bool is_done = false;
    {
        std::unique_lock lock{state_->mutex};
        state_->is_ending = true;
        state_->changed.notify_all();
        is_done = state_->changed.wait_for(lock, state_->options.finish_within,
                                           [this] { return state_->is_done; });
    }
    if (is_done) {
        thread_.join();
        return;
    }
    const std::scoped_lock lock{state_->outside};
    state_->is_left_alone = true;
    thread_.detach();  // It hangs in the disk, and nothing can be done about that.
}

void TelemetryStore::run(State& state) {
    StoreWriter writer{state.options, state.queue};
    const auto counts = [&state] { return state.counts(); };
    std::unique_lock lock{state.mutex};
    while (!state.is_done) {
        state.changed.wait_for(lock, writer.wait(), [&state] {
            return state.is_ending || state.is_hurried || state.rounds_wanted > state.rounds_done;
        });
        const std::uint64_t wanted = state.rounds_wanted;
        const bool is_last = state.is_ending;
        state.is_hurried = false;
        lock.unlock();

        const std::string before = writer.fault();
        state.round_began_ms.store(state.sources.now_ms(), std::memory_order_relaxed);
        writer.round(state.sources.now_ms(), counts, is_last);
        state.round_began_ms.store(0, std::memory_order_relaxed);
        state.stored.store(writer.stored(), std::memory_order_relaxed);
        state.fault.with([&writer](std::string& fault) { fault = writer.fault(); });
        if (before.empty() != writer.fault().empty()) {
            state.tell_change();
        }

        lock.lock();
        state.rounds_done = wanted;
        state.is_done = is_last;
        state.changed.notify_all();
    }
}

}  // namespace holdfast::telemetry
