#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::test {

/// Returns the path of a program next to the running test.
[[nodiscard]] std::string program_next_to_test(const std::string& name);

/// Makes this process inherit every orphan below it, so that none can escape unnoticed.
void inherit_orphans();

/// Returns all processes below this one, including zombies; none may be left after a test.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t ancestor);
/// Returns the zombies among the children of a process.
[[nodiscard]] std::vector<pid_t> zombies_of(pid_t parent);

/// Polls until the condition holds; false when the time is up.
[[nodiscard]] bool eventually(const std::function<bool()>& condition,
                              std::chrono::milliseconds limit = std::chrono::seconds{20});

/// Reaps inherited zombies; returns true if no process is left below this one.
[[nodiscard]] bool has_no_descendant();

/// A program that runs alongside the test, with a pipe to its standard output.
class RunningProgram final {
public:
    explicit RunningProgram(std::vector<std::string> command);
    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;
    ~RunningProgram();

    /// Waits up to 20 seconds for its first line of output; empty if there is none.
    [[nodiscard]] std::string first_line();
    void send(int signal_number) const;
    /// Waits up to 20 seconds for its end: the exit code, or minus the signal; -1000 if it still
    /// runs.
    [[nodiscard]] int wait();
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

private:
    pid_t pid_ = -1;
    int output_ = -1;
    bool is_reaped_ = false;
};

}  // namespace holdfast::test
