#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::test {

/// The path of a program that lies beside the running test.
[[nodiscard]] std::string program_beside_test(const std::string& name);

/// Makes this process inherit every orphan below it, so that none can get away unseen.
void inherit_orphans();

/// All processes below this one, zombies included; none may be left after a test.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t ancestor);
/// The dead ones among the children of a process.
[[nodiscard]] std::vector<pid_t> zombies_of(pid_t parent);

/// Looks again and again until the condition holds; false when the time is up.
[[nodiscard]] bool eventually(const std::function<bool()>& condition,
                              std::chrono::milliseconds limit = std::chrono::seconds{20});

/// Reaps what has died and was inherited; true if no process is left below this one.
[[nodiscard]] bool has_no_descendant();

/// A program that runs beside the test, with a pipe to its standard output.
class RunningProgram final {
public:
    explicit RunningProgram(std::vector<std::string> command);
    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;
    ~RunningProgram();

    /// Waits for its first line of output, up to 20 seconds; empty if none came.
    [[nodiscard]] std::string first_line();
    void send(int signal_number) const;
    /// Waits for its end, up to 20 seconds: the exit code, or minus the signal; -1000 if it runs.
    [[nodiscard]] int wait();
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

private:
    pid_t pid_ = -1;
    int output_ = -1;
    bool is_reaped_ = false;
};

}  // namespace holdfast::test
