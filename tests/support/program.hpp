#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/test_agent/byte_stream.hpp"

namespace holdfast::test {

/// A program with pipes to all three of its streams. The destructor kills it.
///
/// Thread-safety: none.
class Program final {
public:
    /// The path and the arguments, and variables ("NAME=value") in addition to the environment of
    /// this process.
    explicit Program(std::vector<std::string> command, std::vector<std::string> variables = {});
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program();

    /// Waits until standard error contains the text; returns the rest of that line, or nothing if
    /// it does not appear in time. Searches only output after the previous match.
    [[nodiscard]] std::string rest_of_error_line(std::string_view words);
    /// Reads standard error without waiting and stores it: otherwise the program would block in the
    /// end.
    void listen();
    /// Returns everything on standard error since the start. Returns when standard error is closed.
    [[nodiscard]] const std::string& all_error_text();
    /// Returns its standard output to read from, and its standard input to write to. Once.
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
    std::size_t looked_at_ = 0;  // searched part of `said_`
};

}  // namespace holdfast::test
