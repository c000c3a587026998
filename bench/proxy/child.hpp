#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::bench {

/// The cores that a program may use; empty = those of its parent.
struct Cores {
    std::vector<int> numbers = {};

    /// Restricts the calling process to these cores.
    void apply() const;
};

struct Memory {
    double resident_kb = 0;
    double anonymous_kb = 0;
};

/// A program that runs alongside the benchmark, with its output in a file. Ended by the destructor.
///
/// Thread-safety: none.
class Child final {
public:
    Child(std::string name, const std::vector<std::string>& arguments, const Cores& cores,
          std::filesystem::path log);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    /// Asks it to end, and kills it after two seconds.
    ~Child();

    /// Waits for `mark` in the output and returns the rest of the word after it. Ends the benchmark
    /// with the program's output if it does not appear.
    [[nodiscard]] std::string said_behind(const std::string& mark) const;
    /// Waits until the port accepts connections.
    void expect_listening(std::uint16_t port) const;

    /// Stops the process; its sockets stay open, and the kernel still accepts connections.
    void freeze() const;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// CPU time of all its threads since the start.
    [[nodiscard]] std::chrono::nanoseconds cpu_time() const;
    [[nodiscard]] Memory memory() const;

private:
    [[noreturn]] void give_up(const std::string& why) const;

    std::string name_;
    std::filesystem::path log_;
    pid_t pid_ = -1;
};

/// Gives this process and its children priority over all others except system tasks. Requires root.
/// Ratios are steadier with it on a busy machine, whose other work pauses.
[[nodiscard]] bool try_take_priority();

/// Returns a free port, for programs that cannot choose and report one.
[[nodiscard]] std::uint16_t free_port();

/// Ends the benchmark with a message.
[[noreturn]] void fail(const std::string& sentence);

}  // namespace holdfast::bench
