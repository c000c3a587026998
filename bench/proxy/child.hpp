#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::bench {

/// The cores that a program may use; none = as its parent.
struct Cores {
    std::vector<int> numbers = {};

    /// Keeps the calling process to them.
    void apply() const;
};

struct Memory {
    double resident_kb = 0;
    double anonymous_kb = 0;
};

/// A program that runs beside the benchmark, with what it says kept in a file. Ends with it.
///
/// Thread-safety: none.
class Child final {
public:
    Child(std::string name, const std::vector<std::string>& arguments, const Cores& cores,
          std::filesystem::path log);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    /// Asks it to end, and makes it end after two seconds.
    ~Child();

    /// What stands behind `mark` up to the end of the word, as soon as the program says it. Ends
    /// the benchmark with the program's own words if it does not.
    [[nodiscard]] std::string said_behind(const std::string& mark) const;
    /// Waits until somebody accepts connections there.
    void expect_listening(std::uint16_t port) const;

    /// It does nothing from now on; its sockets stay open, and more connections are accepted.
    void freeze() const;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// Of all its threads since it started.
    [[nodiscard]] std::chrono::nanoseconds cpu_time() const;
    [[nodiscard]] Memory memory() const;

private:
    [[noreturn]] void give_up(const std::string& why) const;

    std::string name_;
    std::filesystem::path log_;
    pid_t pid_ = -1;
};

/// Lets this process, and what it starts, run before all others that are no matter of the system.
/// Only root may. The ratios are steadier with it on a busy machine, whose other work starves.
[[nodiscard]] bool try_take_priority();

/// A port that nobody listens on; for programs that cannot choose one and say which.
[[nodiscard]] std::uint16_t free_port();

/// Ends the benchmark with one sentence.
[[noreturn]] void fail(const std::string& sentence);

}  // namespace holdfast::bench
