#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::process {

struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t session = 0;
    bool is_dead = false;     // a zombie: its parent must reap it; signals have no effect
    bool is_exiting = false;  // exiting, without memory and environment
    // Clock ticks of its own and of its children that it has reaped.
    std::uint64_t cpu_ticks = 0;
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
    /// Returns the mark of the child that the process belongs to: the entry `HOLDFAST_CHILD` of its
    /// environment; empty if it has none. Requires an entry of this table. It is read once, because
    /// many children may end at the same time.
    [[nodiscard]] std::string_view child_mark(const ProcessEntry& process);

private:
    [[nodiscard]] const ProcessEntry* find(pid_t pid) const;

    std::vector<ProcessEntry> entries_;
    std::vector<std::optional<std::string>> marks_;  // of the entries, as far as they were read
};

/// The relation of one process to another one that is alive, by reading only its ancestors. A
/// process of another process namespace has the number zero and is foreign. `unknown` if the
/// process or an ancestor has ended or cannot be seen.
[[nodiscard]] Kinship kinship_of(pid_t process, pid_t ancestor);

/// Parses the content of a /proc/<pid>/stat file; false if it is invalid.
[[nodiscard]] bool parse_process_stat(std::string_view content, ProcessEntry& entry);

/// Returns the first entry of the process's initial environment that begins with `start`, searched
/// in its first 256 kB. Empty if the process has ended or belongs to another user.
[[nodiscard]] std::string environment_entry(pid_t pid, std::string_view start);

/// Returns whether the process has ended or is exiting: its properties can no longer be read.
[[nodiscard]] bool is_leaving(pid_t pid);

}  // namespace holdfast::process
