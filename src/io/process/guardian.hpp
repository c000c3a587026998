#pragma once

#include <sys/types.h>

#include "net/net_error.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::process {

/// The process that owns all children of the gateway. It starts and reaps them and, when the
/// gateway ends by whatever cause, kills them and all that descends from them. This is the
/// gateway's end: one socket, closed last of all.
///
/// Each child hangs on a leash of its own, a pair of message sockets: its owner on whatever loop
/// gives orders and hears of its end there, and dropping the leash ends the child.
///
/// Thread-safety: `start` before there is a second thread; `adopt` from any thread.
class Guardian final {
public:
    /// Forks the guardian. To be called by main() before any thread, event loop or secret exists.
    /// From then on the calling process ignores SIGPIPE, since a child may close its input at any
    /// time.
    [[nodiscard]] static net::NetResult<Guardian> start();

    Guardian(Guardian&& other) noexcept;
    Guardian& operator=(Guardian&& other) = delete;
    /// Lets the guardian end everything, and waits for that up to 15 seconds.
    ~Guardian();

    /// Hands over the far end of a leash, with the order to start a child already in it. Does not
    /// wait; `overloaded` if the guardian is far behind, `closed` if it is gone.
    [[nodiscard]] net::NetResult<void> adopt(platform::UniqueFd far_end) const;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

private:
    Guardian(platform::UniqueFd socket, pid_t pid) noexcept
        : socket_(std::move(socket)), pid_(pid) {}

    platform::UniqueFd socket_;
    pid_t pid_;
};

}  // namespace holdfast::process
