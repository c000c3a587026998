#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "proxy/floors.hpp"
#include "proxy/lanes.hpp"

namespace holdfast::bench {

/// What the command line of a benchmark of processes asks for.
struct BenchPlan {
    bool is_quick = false;       ///< Everything once, to see that it runs; nothing is demanded.
    bool has_priority = false;   ///< Before the rest of the machine, which then stands still.
    std::string_view part = {};  ///< Nothing but this one of the parts, if it is named.

    [[nodiscard]] bool has(std::string_view name) const { return part.empty() || part == name; }
    /// `usual`, or a single short round.
    [[nodiscard]] Timing timing(const Timing& usual = {}) const;
};

/// Reads the command line, takes the priority that it asks for and says how will be measured. Ends
/// the program with a sentence if that cannot be. `parts` may be empty. Without `usual` there are
/// no rounds to speak of.
[[nodiscard]] BenchPlan begun_plan(std::span<char*> arguments,
                                   std::span<const std::string_view> parts,
                                   const std::optional<Timing>& usual = Timing{});

/// Prints the floors. The exit status: whether all hold, as far as they are demanded.
[[nodiscard]] int judged(const BenchPlan& plan, const Floors& floors);

}  // namespace holdfast::bench
