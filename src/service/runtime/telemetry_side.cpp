#include "runtime/telemetry_side.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/secret.hpp"
#include "platform/crypto.hpp"
#include "platform/environment.hpp"
#include "platform/user_folders.hpp"
#include "platform/wall_clock.hpp"

namespace holdfast::runtime {
namespace {

/// Enough digits to distinguish queries.
constexpr std::size_t kQueryDigits = 16;

telemetry::RecordingOptions options_of(const LoadedConfig& loaded) {
    const telemetry::TelemetryConfig& config = loaded.telemetry;
    telemetry::RecordingOptions options;
    options.calls.max_calls = loaded.config.limits.explained_calls;
    options.keeps_query_text = config.keeps_query_text;
    if (config.stores) {
        options.store = telemetry::StoreOptions{
            .path = telemetry_file(config, loaded.config.file_name),
            .sample = config.sample,
            .keep = config.keep,
            .max_size_bytes = config.max_size_bytes,
        };
    }
    return options;
}

std::shared_ptr<telemetry::Recording> recording_of(
    const LoadedConfig& loaded, std::shared_ptr<const calls::SecretRegistry> hidden,
    const ServiceLog& log) {
    return std::make_shared<telemetry::Recording>(
        options_of(loaded), telemetry::RecordingDeps{
                                .now_ms = platform::wall_clock_ms,
                                .uptime_ms = platform::uptime_ms,
                                .hide =
                                    [hidden = std::move(hidden)](std::string& text) {
                                        const auto secrets = hidden->all();
                                        if (base::has_secret(text, *secrets)) {
                                            text = base::without_secrets(text, *secrets);
                                        }
                                    },
                                .query_hash =
                                    [](std::string_view query) {
                                        return platform::sha256_text(query).substr(0, kQueryDigits);
                                    },
                                .on_store_change =
                                    [log](const telemetry::StoreStatus& status) {
                                        if (status.state == telemetry::StoreState::on) {
                                            log.telemetry_stored();
                                        } else {
                                            log.telemetry_not_stored(status.reason);
                                        }
                                    }});
}

}  // namespace

TelemetrySide::TelemetrySide(const LoadedConfig& loaded, bool records, resilience::Observer& events,
                             const ServiceLog& log)
    : hidden_(std::make_shared<calls::SecretRegistry>(loaded.config.secrets)),
      recording_(records ? recording_of(loaded, hidden_, log) : nullptr),
      both_(events, recording_.get()) {}

std::string TelemetrySide::without_secrets(const std::string& text) const {
    return base::without_secrets(text, *hidden_->all());
}

void TelemetrySide::Both::on_transition(std::string_view name,
                                        const resilience::CircuitTransition& transition) {
    log_.on_transition(name, transition);
    if (recording_ != nullptr) {
        recording_->on_transition(name, transition);
    }
}

void TelemetrySide::Both::on_refusal(std::string_view name, const resilience::Refusal& refusal) {
    log_.on_refusal(name, refusal);
    if (recording_ != nullptr) {
        recording_->on_refusal(name, refusal);
    }
}

void TelemetrySide::Both::on_retry(std::string_view name, const resilience::ScheduledRetry& retry) {
    log_.on_retry(name, retry);
    if (recording_ != nullptr) {
        recording_->on_retry(name, retry);
    }
}

std::string telemetry_file(const telemetry::TelemetryConfig& config,
                           const std::string& config_file) {
    if (config.path.empty()) {
        return platform::user_folders(platform::environment_variable).data + "/telemetry.db";
    }
    // A relative path starts at the config's folder; an absolute one stays unchanged.
    return std::filesystem::path{config_file}.parent_path() / config.path;
}

}  // namespace holdfast::runtime
