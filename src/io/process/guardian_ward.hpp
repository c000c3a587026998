#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <span>

#include "platform/unique_fd.hpp"
#include "process/guardian_spawn.hpp"
#include "process/oom_score.hpp"
#include "process/process_table.hpp"

namespace holdfast::process {

/// One child as the guardian sees it: the leash to its owner in the gateway, its process, and the
/// processes that it may leave behind.
///
///     waiting ── spawn ──► starting ── program runs ──► running ── dies ──► sweeping ──► over
///        └── leash ends ──►  over  ◄── fails ──┘
///
/// Thread-safety: none; belongs to the guardian.
class Ward final {
public:
    enum class State { waiting, starting, running, sweeping, over };

    /// `oom_score` must outlive it.
    Ward(platform::UniqueFd leash, std::uint32_t serial, const OomScore& oom_score);

    /// Handles a message, or the end of the leash. `buffer` is scratch space for the longest
    /// message.
    void on_leash(std::span<char> buffer);
    /// Handles the outcome of the start.
    void on_outcome();
    /// Its process has exited and has not been reaped yet.
    void on_death(ChildExit exit);
    /// Kills processes that it left behind, if any; counts as one try.
    void sweep(ProcessTable& table);
    /// Kills the process and its group.
    void kill_group() const;
    /// Refuses to start a child.
    void refuse(int error);

    [[nodiscard]] State state() const noexcept { return state_; }
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] int leash() const noexcept { return leash_.get(); }
    [[nodiscard]] int outcome() const noexcept { return outcome_.get(); }
    /// Returns whether its descendants still have to be searched.
    [[nodiscard]] bool is_sweeping() const noexcept;

private:
    void start(std::span<char> message, std::span<platform::UniqueFd> fds);
    void release();
    void fail(SpawnFailure failure);
    void report(const Frame& frame);
    [[nodiscard]] bool is_mine(ProcessTable& table, const ProcessEntry& process) const;

    const OomScore& oom_score_;
    platform::UniqueFd leash_;
    std::array<char, 48> mark_{};  // HOLDFAST_CHILD=<guardian>.<serial>
    platform::UniqueFd outcome_;
    pid_t pid_ = -1;
    State state_ = State::waiting;
    bool is_released_ = false;  // the gateway no longer holds the leash
    int tries_ = 0;
};

}  // namespace holdfast::process
