#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "proxy/floors.hpp"
#include "proxy/lanes.hpp"

namespace holdfast::bench {

/// The command line of a benchmark that starts processes.
struct BenchPlan {
    bool is_quick = false;       ///< Runs everything once as a check; no floor is enforced.
    bool has_priority = false;   ///< Before the rest of the machine, which then stands still.
    std::string_view part = {};  ///< Nothing but this one of the parts, if it is named.

    [[nodiscard]] bool has(std::string_view name) const { return part.empty() || part == name; }
    /// Returns `usual`, or a single short round.
    [[nodiscard]] Timing timing(const Timing& usual = {}) const;
};

/// Reads the command line, applies the requested priority and prints the method. Ends the program
/// with a message if that is impossible. `parts` may be empty. Without `usual` there are no rounds.
[[nodiscard]] BenchPlan begun_plan(std::span<char*> arguments,
                                   std::span<const std::string_view> parts,
                                   const std::optional<Timing>& usual = Timing{});

/// Prints the floors. Returns the exit status: failure if an enforced floor does not hold.
[[nodiscard]] int judged(const BenchPlan& plan, const Floors& floors);

}  // namespace holdfast::bench
