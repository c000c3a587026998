#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/link.hpp"
#include "downstream/listing.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

enum class LinkState : std::uint8_t {
    idle,        ///< Not used yet.
    connecting,  ///< The first attempt, or one after a loss.
    ready,
    waiting,  ///< Lost or refused; the next attempt is scheduled.
    paused,   ///< Paused by an operator.
    stopped,
};

/// A list that the downstream offers but that could not be read last time.
struct ListProblem {
    std::string_view list = {};  ///< Its method, such as `tools/list`. Static storage.
    std::string reason = {};     ///< A text; may be the downstream's own.
};

/// The entries of a list that were repaired or skipped, because agents would reject them.
struct ListFaults {
    std::string_view list = {};  ///< Its method, such as `tools/list`. Static storage.
    EntryFaults faults = {};
};

/// What a downstream that is not ready yet does.
enum class StartPhase : std::uint8_t {
    waiting_for_slot,  ///< Other programs start for the first time.
    starting,
    installing,  ///< Its program fetches a package.
};

/// A running attempt to connect, for display.
struct StartProgress {
    StartPhase phase = StartPhase::starting;
    std::string package = {};  ///< While installing.
    resilience::TimePoint since = {};
    resilience::TimePoint last_progress_at = {};
};

/// The status of a downstream for display.
struct DownstreamStatus {
    LinkState state = LinkState::idle;
    std::string reason = {};  ///< Why it is not ready; may be shown to agents.
    /// The line of the program's standard error that states why it ended. May be empty. Only for
    /// operators: the program may have written anything.
    std::string log_excerpt = {};
    std::optional<resilience::TimePoint> next_attempt_at = std::nullopt;
    std::optional<resilience::TimePoint> ready_since = std::nullopt;
    /// Set during the first start: until the server was connected or could not be.
    std::optional<resilience::TimePoint> starting_since = std::nullopt;
    std::uint64_t connects = 0;  ///< Links that became ready.
    /// Failed dials and links that were lost too early, since the last stable link.
    std::uint32_t failures_in_row = 0;
    std::uint32_t failed_dials = 0;  ///< In a row, since a link was last ready.
    /// Enough dials failed that the server counts as down. Dialling continues at the longest delay.
    bool is_given_up = false;
    std::size_t agent_links = 0;
    std::optional<std::int64_t> pid = std::nullopt;  ///< Of the process, if any.
    std::optional<Negotiated> negotiated = std::nullopt;
    /// Offered lists that were not read yet since the link became ready.
    std::size_t unread_lists = 0;
    /// Lists of a ready downstream that could not be read. They are retried until they can be.
    std::vector<ListProblem> list_problems = {};
    /// Lists with invalid entries, as they were last read.
    std::vector<ListFaults> list_faults = {};
    std::optional<StartProgress> start = std::nullopt;  ///< Only while it is connecting.
};

/// Adds the log excerpt to a reason. Only for operators.
[[nodiscard]] std::string operator_reason(std::string reason, std::string_view log_excerpt);
[[nodiscard]] inline std::string operator_reason(const DownstreamStatus& status) {
    return operator_reason(status.reason, status.log_excerpt);
}

/// Describes the problems with the lists; empty without problems.
[[nodiscard]] std::string list_problems_text(const DownstreamStatus& status);
/// Describes the invalid entries of one list, or of all lists; empty if there are none.
[[nodiscard]] std::string list_faults_text(const ListFaults& list);
[[nodiscard]] std::string list_faults_text(const DownstreamStatus& status);

}  // namespace holdfast::downstream
