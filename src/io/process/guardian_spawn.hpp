#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

#include "platform/unique_fd.hpp"
#include "process/guardian_protocol.hpp"
#include "process/oom_score.hpp"

namespace holdfast::process {

/// Why a child could not run its program.
struct SpawnFailure {
    SpawnStage stage = SpawnStage::preparing;
    std::int32_t error = 0;
};

/// A child that has been forked and is about to run its program.
struct SpawnedChild {
    pid_t pid = -1;
    /// Ends without a byte if the program runs; otherwise holds a `SpawnFailure`.
    platform::UniqueFd outcome;
    SpawnFailure failure;  ///< Set if `pid` is -1.
};

/// Forks a child into its own session and group, with default signals, the three descriptors and no
/// others. The child writes no core files, cannot gain privileges unless the order allows it, and
/// is killed before the gateway when memory runs out. Requires a process with one thread.
[[nodiscard]] SpawnedChild spawn_child(SpawnOrder& order, const std::array<int, 3>& stdio,
                                       const OomScore& oom_score);

enum class SpawnProgress { pending, running, failed };

/// Reads the outcome without waiting.
[[nodiscard]] SpawnProgress read_spawn_outcome(int fd, SpawnFailure& failure);

}  // namespace holdfast::process
