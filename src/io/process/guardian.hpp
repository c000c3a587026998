#pragma once

#include <sys/types.h>

#include "net/net_error.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::process {

/// The process that owns all children of the gateway. It starts and reaps them. When the gateway
/// ends for any reason, it kills them and all their descendants. This object is the gateway's end:
/// one socket, closed last of all.
///
/// Each child has its own leash, a pair of message sockets. Its owner, on any loop, sends orders
/// and receives reports there; closing the leash ends the child.
///
/// Thread-safety: `start` before there is a second thread; `adopt` from any thread.
class Guardian final {
public:
    /// Forks the guardian. main() must call it before any thread, event loop or secret exists. The
    /// calling process then ignores SIGPIPE, because a child may close its input at any time, and
    /// no child can inspect it (`forbid_inspection`).
    [[nodiscard]] static net::NetResult<Guardian> start();

    Guardian(Guardian&& other) noexcept;
    Guardian& operator=(Guardian&& other) = delete;
    /// Makes the guardian end everything, and waits up to 15 seconds for it.
    ~Guardian();

    /// Passes on the far end of a leash that already contains the order to start a child. Does not
    /// wait; `overloaded` if the guardian is far behind, `closed` if it has ended.
    [[nodiscard]] net::NetResult<void> adopt(platform::UniqueFd far_end) const;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

private:
    Guardian(platform::UniqueFd socket, pid_t pid) noexcept
        : socket_(std::move(socket)), pid_(pid) {}

    platform::UniqueFd socket_;
    pid_t pid_;
};

}  // namespace holdfast::process
