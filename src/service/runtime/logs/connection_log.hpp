#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "holdfast/resilience/synchronized.hpp"
#include "logging/log.hpp"
#include "record/event.hpp"

namespace holdfast::runtime {

/// Logs when a server is unavailable, when it is connected again, and when one of its lists cannot
/// be read. Failed attempts in a row are one line for each reason, and so is a server that connects
/// and disconnects over and over.
///
/// Thread-safety: from any thread.
class ConnectionLog final {
public:
    /// The log must outlive it.
    explicit ConnectionLog(const logging::Log& log) : log_(log) {}

    /// Logs an event of the kind `connection` and ignores others. The reason must be without
    /// secrets.
    void on_event(const record::Event& event);

private:
    enum class Known : std::uint8_t {
        lost,      ///< The disconnect was logged.
        unsteady,  ///< It connected and disconnected again shortly after; both were logged.
    };
    struct Outage {
        Known known = Known::lost;
        std::set<std::string> reasons = {};  ///< That were logged, without their numbers.
    };
    /// Servers that are not connected, or not for long enough.
    using Servers = std::map<std::string, Outage, std::less<>>;

    /// What a line is about.
    enum class Line : std::uint8_t { none, junk, list, lost, lost_again, still_lost, connected };

    /// A server that has not come back fails for a reason that was not logged yet.
    [[nodiscard]] static bool is_new_reason(const record::Event& event, Outage& outage);
    /// Chooses the line for an event and remembers what was logged.
    [[nodiscard]] static Line line_for(const record::Event& event, Servers& servers);

    const logging::Log& log_;
    resilience::Synchronized<Servers> servers_;
};

}  // namespace holdfast::runtime
