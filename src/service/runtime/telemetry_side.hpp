#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "calls/secret_registry.hpp"
#include "holdfast/resilience/observer.hpp"
#include "runtime/loaded_config.hpp"
#include "runtime/service_log.hpp"
#include "telemetry/recording.hpp"

namespace holdfast::runtime {

/// The recording of a gateway run, set up as configured. Guard events are also logged.
///
/// Thread-safety: `observer` and `without_secrets` from any thread; all else is for the owner.
class TelemetrySide final {
public:
    /// Without `records` there is no recording, and guard events only go to `events`. Both must
    /// outlive it.
    TelemetrySide(const LoadedConfig& loaded, bool records, resilience::Observer& events,
                  const ServiceLog& log);

    /// Null if nothing is recorded.
    [[nodiscard]] const std::shared_ptr<telemetry::Recording>& recording() const noexcept {
        return recording_;
    }
    /// The observer for the guards.
    [[nodiscard]] resilience::Observer& observer() noexcept { return both_; }
    /// Returns the text without secrets.
    [[nodiscard]] std::string without_secrets(const std::string& text) const;
    /// Hides these secrets, too, from now on.
    void hide(const std::vector<std::string>& secrets, resilience::TimePoint now) {
        hidden_->replace(secrets, now);
    }

private:
    /// Logs first, so that the log is complete when a reader of the recording looks there.
    class Both final : public resilience::Observer {
    public:
        Both(resilience::Observer& log, telemetry::Recording* recording)
            : log_(log), recording_(recording) {}

        void on_transition(std::string_view name,
                           const resilience::CircuitTransition& transition) override;
        void on_refusal(std::string_view name, const resilience::Refusal& refusal) override;
        void on_retry(std::string_view name, const resilience::ScheduledRetry& retry) override;

    private:
        resilience::Observer& log_;
        telemetry::Recording* const recording_;  // may be null
    };

    const std::shared_ptr<calls::SecretRegistry> hidden_;  // shared with the recording's threads
    const std::shared_ptr<telemetry::Recording> recording_;
    Both both_;
};

/// Returns the path of a config's store; by default in the user's data folder.
[[nodiscard]] std::string telemetry_file(const telemetry::TelemetryConfig& config,
                                         const std::string& config_file);

}  // namespace holdfast::runtime
