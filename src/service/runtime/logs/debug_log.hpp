#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "downstream/downstream_status.hpp"
#include "downstream/listing.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"
#include "record/recorder.hpp"
#include "runtime/service_log.hpp"

namespace holdfast::runtime {

struct DebugLogDeps {
    ServiceLog log;
    std::shared_ptr<record::Recorder> next = {};  ///< Gets every record afterwards. May be null.
    std::function<std::string(const std::string&)> without_secrets = {};
    std::function<resilience::TimePoint()> now = {};
};

/// Logs at the level debug what every connection, list, call and attempt does. Create it only if
/// that level is on: then the path of a call has nothing to format or lock otherwise.
///
/// Thread-safety: from any thread.
class DebugLog final : public record::Recorder {
public:
    explicit DebugLog(DebugLogDeps deps) : deps_(std::move(deps)) {}

    void on_status(const std::string& server, const downstream::DownstreamStatus& status);
    void on_list(const std::string& server, const downstream::Listing& listing) const;
    void on_call(const record::CallRecord& record) override;
    void on_event(record::Event event) override;

private:
    /// Since when servers connect.
    using Connecting = std::map<std::string, resilience::TimePoint, std::less<>>;

    [[nodiscard]] std::string shown(std::string_view text) const;
    void log_handshake(const std::string& server, const downstream::Negotiated& negotiated);

    const DebugLogDeps deps_;
    resilience::Synchronized<Connecting> connecting_;
};

}  // namespace holdfast::runtime
