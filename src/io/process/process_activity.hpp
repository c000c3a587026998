#pragma once

#include <sys/types.h>

#include <cstddef>

#include "holdfast/resilience/time.hpp"
#include "process/process_table.hpp"

namespace holdfast::process {

/// What a process and the processes that it started are doing.
struct TreeActivity {
    /// Processor time since their start. May shrink when a process of the tree changes its parent.
    resilience::Duration cpu = {};
    std::size_t processes = 0;  ///< That are alive, the root among them.
};

/// Adds up the processes of the table that are `root`, descend from it, or belong to its session.
[[nodiscard]] TreeActivity activity_of_tree(const ProcessTable& table, pid_t root);

/// The same with a new table. Reads /proc: takes a few milliseconds on a machine with hundreds of
/// processes.
[[nodiscard]] TreeActivity activity_of_tree(pid_t root);

}  // namespace holdfast::process
