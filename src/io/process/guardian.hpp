#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/net_error.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::process {

/// How a guardian that was killed is replaced.
struct GuardianOptions {
    /// The command of a program that begins with `run_guardian_if_asked`; empty = no replacement.
    /// It runs without an environment, so that nothing can read the gateway's secrets there.
    std::vector<std::string> successor = {};
    /// Called after a replacement, on the thread that starts a child. Must not start one itself.
    std::function<void()> on_replaced = {};
    /// Of the first guardian at the same time. The limit of descriptors may allow fewer.
    std::size_t max_children = 65'536;
};

/// The process that owns all children of the gateway. It starts and reaps them. When the gateway
/// ends for any reason, it kills them and all their descendants. This object is the gateway's end:
/// one socket, closed last of all.
///
/// Each child has its own leash, a pair of message sockets. Its owner, on any loop, sends orders
/// and receives reports there; closing the leash ends the child.
///
/// If the guardian itself is killed, its children end with it. The next child starts another one.
///
/// Thread-safety: `start` before there is a second thread; everything else from any thread.
class Guardian final {
public:
    /// Forks the guardian. main() must call it before any thread, event loop or secret exists. The
    /// calling process then ignores SIGPIPE, because a child may close its input at any time, and
    /// no child can inspect it (`forbid_inspection`). It may also open as many descriptors as the
    /// system lets it; its children keep the previous limit.
    [[nodiscard]] static net::NetResult<Guardian> start(GuardianOptions options = {});

    Guardian(Guardian&& other) noexcept;
    Guardian& operator=(Guardian&& other) = delete;
    /// Makes the guardian end everything, and waits up to 15 seconds for it.
    ~Guardian();

    /// Passes on the far end of a leash that already contains the order to start a child. Does not
    /// wait, except for a few milliseconds to replace a guardian that was killed. `overloaded` if
    /// the guardian is far behind, `closed` if it has ended and cannot be replaced.
    [[nodiscard]] net::NetResult<void> adopt(platform::UniqueFd far_end) const;

    [[nodiscard]] pid_t pid() const;
    /// The limit of open descriptors of a child.
    [[nodiscard]] std::size_t child_descriptors() const noexcept;

private:
    struct Hidden;
    explicit Guardian(std::unique_ptr<Hidden> hidden) noexcept;

    std::unique_ptr<Hidden> hidden_;
};

/// Runs as a guardian and never returns, if a gateway started this program for that.
void run_guardian_if_asked(int argument_count, char** arguments);
/// The arguments with which a gateway asks this program for that.
[[nodiscard]] std::vector<std::string> this_program_as_guardian();

}  // namespace holdfast::process
