#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/link.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

enum class LinkState : std::uint8_t {
    idle,        ///< Nobody has needed it yet.
    connecting,  ///< The first try, or one after a loss.
    ready,
    waiting,  ///< Lost or refused; the next try has its time.
    paused,   ///< Ended by an operator, until they say otherwise.
    stopped,
};

/// A list that the downstream offers, and that could not be had when it was last asked for.
struct ListProblem {
    std::string_view list = {};  ///< Its method, such as `tools/list`. Of static storage.
    std::string reason = {};     ///< In words; may be the downstream's own.
};

/// What status shows of a downstream.
struct DownstreamStatus {
    LinkState state = LinkState::idle;
    std::string reason = {};  ///< Why it is not ready, in words.
    std::optional<resilience::TimePoint> next_attempt_at = std::nullopt;
    std::optional<resilience::TimePoint> ready_since = std::nullopt;
    std::uint64_t connects = 0;  ///< Links that became ready.
    /// Failed dials, and links that were lost too soon, since the last link that proved itself.
    std::uint32_t failures_in_row = 0;
    std::uint32_t failed_dials = 0;  ///< In a row, since the last link that became ready.
    /// So many dials failed that it counts as gone. Dialling goes on, at the longest delay.
    bool is_given_up = false;
    std::size_t agent_links = 0;
    std::optional<std::int64_t> pid = std::nullopt;  ///< Of the process, if there is one.
    std::optional<Negotiated> negotiated = std::nullopt;
    std::size_t unread_lists = 0;  ///< Of those that it offers: not had yet since it is ready.
    /// Of a downstream that is ready: it can be called, and not all that it offers is known. They
    /// are asked for again and again.
    std::vector<ListProblem> list_problems = {};
};

/// What is wrong with the lists, in words; empty if nothing is.
[[nodiscard]] std::string told_list_problems(const DownstreamStatus& status);

}  // namespace holdfast::downstream
