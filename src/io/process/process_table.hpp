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
    bool is_dead = false;     // a zombie: needs a parent that reaps, not a signal
    bool is_exiting = false;  // on the way there, with its memory and environment gone already
};

/// How a process stands to another one.
enum class Kinship {
    descendant,
    foreign,
    unknown,  ///< An ancestor went away while the table was read; look again.
};

/// The processes of the machine as /proc shows them. Reading is not atomic: what is forked or
/// orphaned meanwhile may be missing, so whoever wants none left reads again until none is found.
///
/// Thread-safety: none.
class ProcessTable final {
public:
    /// The entries are in the order of their process ids.
    void read();
    [[nodiscard]] std::span<const ProcessEntry> entries() const noexcept { return entries_; }
    [[nodiscard]] Kinship kinship(const ProcessEntry& process, pid_t ancestor) const;

private:
    [[nodiscard]] const ProcessEntry* find(pid_t pid) const;

    std::vector<ProcessEntry> entries_;
};

/// Reads the content of a /proc/<pid>/stat file; false if it is not one.
[[nodiscard]] bool parse_process_stat(std::string_view content, ProcessEntry& entry);

/// Whether the process was started with exactly this `NAME=value` among the first 256 kB of its
/// environment. False if it is gone or belongs to somebody else.
[[nodiscard]] bool has_environment_entry(pid_t pid, std::string_view entry);

/// Whether the process is gone, dead, or on the way there: what it was can no longer be read.
[[nodiscard]] bool is_leaving(pid_t pid);

}  // namespace holdfast::process
