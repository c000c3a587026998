#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

#include "platform/unique_fd.hpp"
#include "process/guardian_protocol.hpp"

namespace holdfast::process {

/// Why a child could not become its program.
struct SpawnFailure {
    SpawnStage stage = SpawnStage::preparing;
    std::int32_t error = 0;
};

/// A child that has been forked and is on its way to its program.
struct SpawnedChild {
    pid_t pid = -1;
    /// Ends without a byte when the program runs; holds a `SpawnFailure` when it does not.
    platform::UniqueFd outcome;
    SpawnFailure failure;  ///< Set when `pid` is -1.
};

/// Forks a child into a session and group of its own, with default signals, the three descriptors
/// and no others. To be called by a process with one thread.
[[nodiscard]] SpawnedChild spawn_child(SpawnOrder& order, const std::array<int, 3>& stdio);

enum class SpawnProgress { pending, running, failed };

/// Looks without waiting at what became of it.
[[nodiscard]] SpawnProgress read_spawn_outcome(int fd, SpawnFailure& failure);

}  // namespace holdfast::process
