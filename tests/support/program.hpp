#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/test_agent/byte_stream.hpp"

namespace holdfast::test {

/// A program with pipes to all three of its streams. It is killed with this.
///
/// Thread-safety: none.
class Program final {
public:
    /// The path and the arguments, and variables ("NAME=value") besides what this process has.
    explicit Program(std::vector<std::string> command, std::vector<std::string> variables = {});
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program();

    /// Waits until standard error says the words; the rest of that line, or empty if they do not
    /// come in time. What was said before is not looked at again.
    [[nodiscard]] std::string rest_of_error_line(std::string_view words);
    /// Takes in what standard error has said, without waiting and without forgetting it: a program
    /// that nobody listens to is stuck in the end.
    void listen();
    /// All that it has said on standard error since it began. Returns when that is closed.
    [[nodiscard]] const std::string& all_error_text();
    /// Its standard output to read from, and its standard input to write to. Once.
    [[nodiscard]] ByteStream take_streams();
    void send(int signal_number) const;
    /// Waits for its end: the exit code, or minus the signal; -1000 if it still runs.
    [[nodiscard]] int wait();
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

private:
    pid_t pid_ = -1;
    bool is_reaped_ = false;
    ByteStream streams_{-1, -1};
    ByteStream errors_{-1, -1};
    std::string said_;
    std::size_t looked_at_ = 0;  // of `said_`
};

}  // namespace holdfast::test
