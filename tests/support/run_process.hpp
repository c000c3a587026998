#pragma once

#include <string>
#include <vector>

namespace holdfast::test {

struct FinishedProcess {
    /// The exit code; -1 if the process could not be started or was ended by a signal.
    int exit_code = -1;
    std::string out;
    std::string errors;
};

/// Runs a program to its end with an empty standard input, and returns its output. `command` is the
/// path of the program and its arguments; no shell is involved.
[[nodiscard]] FinishedProcess run_process(std::vector<std::string> command);

}  // namespace holdfast::test
