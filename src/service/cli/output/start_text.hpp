#pragma once

#include <map>
#include <ostream>
#include <string>

#include "downstream/downstream_status.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::cli {

/// `installing @scope/server, 12 s`, `starting, 3 s`, `waiting for other first starts`.
[[nodiscard]] std::string start_text(const downstream::StartProgress& start,
                                     resilience::TimePoint now);

/// Whether a server that is not ready yet has done something in the last `patience`. Its turn to
/// start and the lists that it has just begun to send count as well.
[[nodiscard]] bool makes_progress(const downstream::DownstreamStatus& status,
                                  resilience::TimePoint now, resilience::Duration patience);

/// Reports starts that take long, one line per server and phase, repeated from time to time. Short
/// starts are not reported.
///
/// Thread-safety: none.
class StartReports final {
public:
    /// `lines` must outlive it; null = nothing is reported.
    explicit StartReports(std::ostream* lines) : lines_(lines) {}

    void on_status(const std::string& server, const downstream::DownstreamStatus& status,
                   resilience::TimePoint now);

private:
    struct Reported {
        downstream::StartPhase phase = downstream::StartPhase::starting;
        resilience::TimePoint next_at = {};
    };

    std::ostream* const lines_;
    std::map<std::string, Reported> reported_;  // by server
};

}  // namespace holdfast::cli
