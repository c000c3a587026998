#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace holdfast::process {

struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t session = 0;
    bool is_dead = false;     // a zombie: its parent must reap it; signals have no effect
    bool is_exiting = false;  // exiting, without memory and environment
};

/// The relation of a process to another one.
enum class Kinship {
    descendant,
    foreign,
    unknown,  ///< An ancestor ended while the table was read; read again.
};

/// The processes of the machine according to /proc. Reading is not atomic: processes that are
/// forked or orphaned at the same time may be missing. To be sure that none is left, read again
/// until none is found.
///
/// Thread-safety: none.
class ProcessTable final {
public:
    /// Sorts the entries by process id.
    void read();
    [[nodiscard]] std::span<const ProcessEntry> entries() const noexcept { return entries_; }
    [[nodiscard]] Kinship kinship(const ProcessEntry& process, pid_t ancestor) const;

private:
    [[nodiscard]] const ProcessEntry* find(pid_t pid) const;

    std::vector<ProcessEntry> entries_;
};

/// The relation of one process to another one that is alive, by reading only its ancestors. A
/// process of another process namespace has the number zero and is foreign. `unknown` if the
/// process or an ancestor has ended or cannot be seen.
[[nodiscard]] Kinship kinship_of(pid_t process, pid_t ancestor);

/// Parses the content of a /proc/<pid>/stat file; false if it is invalid.
[[nodiscard]] bool parse_process_stat(std::string_view content, ProcessEntry& entry);

/// Returns whether the first 256 kB of the process's initial environment contain exactly this
/// `NAME=value`. False if the process has ended or belongs to another user.
[[nodiscard]] bool has_environment_entry(pid_t pid, std::string_view entry);

/// Returns whether the process has ended or is exiting: its properties can no longer be read.
[[nodiscard]] bool is_leaving(pid_t pid);

}  // namespace holdfast::process
