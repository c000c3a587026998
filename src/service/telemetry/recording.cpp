#include "telemetry/recording.hpp"

#include <algorithm>
#include <chrono>
#include <forward_list>
#include <utility>
#include <vector>

#include "base/text_cut.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::telemetry {
namespace {

constexpr std::int64_t kUsInMs = 1'000;

std::int64_t in_ms(resilience::Duration duration) {
    return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

/// Cuts between characters, so that the text stays valid UTF-8.
void cut(std::string& text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) {
        return;
    }
    text.resize(base::beginning_of(text, max_bytes).size());
    text += "…";
}

record::Event event_of_failure(const record::CallRecord& call, std::int64_t now_ms) {
    return {.at_ms = now_ms,
            .kind = record::EventKind::call,
            .server = std::string{call.server},
            .subject = std::string{call.tool},
            .outcome = call.outcome,
            .reason = std::string{call.message},
            .call_id = std::string{call.id}};
}

/// Whether the record may contain a secret or an overlong text. Most records contain only names
/// from the config.
bool has_free_text(const record::CallRecord& call, std::size_t max_bytes) {
    return call.is_failure() || call.method != "tools/call" || !call.message.empty() ||
           call.tool.size() > max_bytes || call.principal.size() > max_bytes ||
           std::ranges::any_of(call.attempts, [](const record::AttemptRecord& attempt) {
               return !attempt.detail.empty();
           });
}

}  // namespace

Recording::Recording(const RecordingOptions& options, RecordingDeps parts)
    : options_(options),
      parts_(std::move(parts)),
      calls_(options.calls),
      events_(options.events),
      metrics_(options.metrics),
      series_(options.series),
      circuits_(options.circuits) {
    HOLDFAST_EXPECT(parts_.now_ms != nullptr);
    HOLDFAST_EXPECT(options_.keeps_query_text || parts_.query_hash != nullptr);
    if (options_.store) {
        store_ = std::make_unique<TelemetryStore>(
            *options_.store,
            StoreSources{.now_ms = parts_.now_ms,
                         .uptime_ms = parts_.uptime_ms,
                         .totals = [this] { return metrics().totals(); },
                         .on_change = [this](const auto& status) { on_store_change(status); }});
    }
}

Recording::~Recording() {
    stop();
}

void Recording::stop() {
    count_pending();
    if (store_) {
        store_->stop();
    }
}

bool Recording::flush(resilience::Duration within) {
    count_pending();
    return !store_ || store_->flush(within);
}

void Recording::clean(std::string& text) const {
    if (parts_.hide) {
        parts_.hide(text);
    }
    cut(text, options_.max_text_bytes);
}

void Recording::on_call(const record::CallRecord& record) {
    if (has_free_text(record, options_.max_text_bytes)) {
        on_call_with_words(record);
    } else {
        keep(record);
    }
}

void Recording::on_call_with_words(record::CallRecord record) {
    std::forward_list<std::string> texts;  // owns the texts that replace those of the record
    const auto replace = [&](std::string_view& text, bool may_have_secret) {
        if (text.empty()) {
            return;
        }
        std::string& own = texts.emplace_front(text);
        may_have_secret ? clean(own) : cut(own, options_.max_text_bytes);
        text = own;
    };
    std::vector<record::AttemptRecord> attempts{record.attempts.begin(), record.attempts.end()};
    for (record::AttemptRecord& attempt : attempts) {
        replace(attempt.detail, true);
    }
    record.attempts = attempts;
    replace(record.message, true);
    replace(record.principal, false);
    // Unless the call failed, this is the name of a known tool and contains no secret.
    replace(record.tool, record.method != "tools/call" || record.is_failure());
    keep(record);
}

void Recording::keep(record::CallRecord record) {
    if (record.at_ms == 0) {
        record.at_ms = parts_.now_ms() - record.total_us / kUsInMs;  // The call ends now.
    }
    const bool is_failure = record.is_failure();
    if (is_failure) {
        last_errors_.on_call(record);
        events_.add(event_of_failure(record, parts_.now_ms()));
    }
    record::KeptCall call = kept(record);  // one block shared by all that store it
    if (!pending_.try_put(call)) {
        count_pending();  // full: this thread counts for all
        if (!pending_.try_put(call)) {
            count({&call, 1});
        }
    }
    if (is_failure) {
        count_pending();
    }
}

void Recording::count_pending() {
    // A reader sees every call that was recorded before, also while another thread counts.
    const std::scoped_lock lock{counting_};
    if (const auto calls = pending_.take_all(); !calls.empty()) {
        count(calls);
    }
}

void Recording::count(std::span<const record::KeptCall> calls) {
    metrics_.on_calls(calls);
    series_.on_calls(calls);
    if (store_) {
        for (const record::KeptCall& call : calls) {
            store_->put(call);
        }
    }
    calls_.add(calls);
}

void Recording::on_event(record::Event event) {
    if (event.at_ms == 0) {
        event.at_ms = parts_.now_ms();
    }
    if (event.kind == record::EventKind::router && !options_.keeps_query_text &&
        !event.subject.empty()) {
        event.subject = parts_.query_hash(event.subject);
    }
    clean(event.subject);
    clean(event.reason);
    cut(event.server, options_.max_text_bytes);
    metrics_.on_event(event);
    const EventFeed::Item item = events_.add(std::move(event));
    // A failed call is stored as a call.
    if (store_ && item->event.kind != record::EventKind::call) {
        store_->put(std::shared_ptr<const record::Event>{item, &item->event});
    }
}

void Recording::on_transition(std::string_view name,
                              const resilience::CircuitTransition& transition) {
    const std::int64_t now_ms = parts_.now_ms();
    circuits_.add(name,
                  {.at_ms = now_ms, .state = transition.to, .generation = transition.generation});
    record::Event event{.at_ms = now_ms,
                        .kind = record::EventKind::circuit,
                        .subject = std::string{name},
                        .what = record::event_what(transition.to),
                        .reason = std::string{resilience::name_of(transition.cause)}};
    if (transition.to == resilience::CircuitState::open) {
        event.wait_ms = in_ms(transition.open_for);
        event.reason += ", " + std::to_string(transition.consecutive_failures) + " in a row";
    }
    on_event(std::move(event));
}

void Recording::on_refusal(std::string_view name, const resilience::Refusal& refusal) {
    on_event({.at_ms = parts_.now_ms(),
              .kind = record::EventKind::refusal,
              .subject = std::string{name},
              .what = record::event_what(refusal.reason),
              .wait_ms = refusal.retry_after ? in_ms(*refusal.retry_after) : -1});
}

void Recording::on_retry(std::string_view name, const resilience::ScheduledRetry& retry) {
    on_event({.at_ms = parts_.now_ms(),
              .kind = record::EventKind::retry,
              .subject = std::string{name},
              .what = record::EventWhat::retry,
              .wait_ms = in_ms(retry.delay),
              .attempt = retry.attempt,
              .max_attempts = retry.max_attempts});
}

std::optional<StoreStatus> Recording::store_status() const {
    return store_ ? std::optional{store_->status()} : std::nullopt;
}

// Runs on the store's thread, so it must not wait for the store. The event goes only to the feed,
// because it is about the store.
void Recording::on_store_change(const StoreStatus& status) {
    const bool is_on = status.state == StoreState::on;
    if (parts_.on_store_change) {
        parts_.on_store_change(status);
    }
    events_.add({.at_ms = parts_.now_ms(),
                 .kind = record::EventKind::gateway,
                 .subject = "telemetry",
                 .what = is_on ? record::EventWhat::on : record::EventWhat::counters_only,
                 .reason = status.reason});
}

}  // namespace holdfast::telemetry
