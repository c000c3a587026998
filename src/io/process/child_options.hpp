#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "net/write_queue_options.hpp"

namespace holdfast::process {

/// The program to run as a child.
struct ChildSpec {
    /// The program and its arguments. A name without a slash is looked up in the `PATH` of
    /// `environment`.
    std::vector<std::string> arguments = {};
    /// The whole environment as `NAME=value`; nothing is inherited. The guardian adds
    /// `HOLDFAST_CHILD`, which identifies processes that the child leaves behind.
    std::vector<std::string> environment = {};
    /// The working directory; empty = that of the gateway.
    std::string directory = {};
    /// Whether the program may gain privileges, for example by running `sudo`.
    bool may_gain_privileges = false;
};

/// The timeout of each step of a stop. Their sum is the longest time that a stop can take.
struct StopOptions {
    resilience::Duration close_wait = std::chrono::seconds{2};      ///< After closing its input.
    resilience::Duration terminate_wait = std::chrono::seconds{3};  ///< After SIGTERM.
    resilience::Duration kill_wait = std::chrono::seconds{2};       ///< After SIGKILL.
};

/// Limits of one child; all of them are finite.
struct ChildOptions {
    std::size_t max_line_bytes = std::size_t{64} * 1024 * 1024;  ///< One message of the child.
    std::size_t stderr_ring_bytes = std::size_t{64} * 1024;      ///< The kept end of its log.
    net::WriteQueueOptions write_queue = {};
    StopOptions stop = {};  ///< When its channel is closed.
    /// After the end of its output a child has this long to exit, so that the error of the reader
    /// can say how it ended.
    resilience::Duration exit_wait = std::chrono::milliseconds{500};
};

/// The program for an error message: `the program "x"`.
[[nodiscard]] std::string program_text(const ChildSpec& spec);

/// How a child ended.
struct ChildExit {
    enum class Kind {
        exited,     ///< By itself; `code` is its exit code.
        signalled,  ///< By a signal; `code` is its number.
        lost,       ///< Unknown because the guardian has ended, which also killed the child.
    };
    Kind kind = Kind::lost;
    int code = 0;

    friend bool operator==(const ChildExit&, const ChildExit&) = default;
};

}  // namespace holdfast::process
