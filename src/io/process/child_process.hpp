#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/deadline.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"
#include "net/net_error.hpp"
#include "process/child_options.hpp"
#include "process/guardian.hpp"
#include "process/tail_buffer.hpp"

namespace holdfast::process {

struct ChildState;

/// A child process of the guardian as a channel: a message is a line. Its standard error is always
/// drained, so that it never blocks on its log, and the end of the log is kept. When the child has
/// ended, the error of the reader says how, and what the child logged last.
///
/// It lives on one loop, from `launch` to destruction. Destroying it kills the child and everything
/// that the child started; use `stop` for an orderly end. Coroutines that wait on it when it is
/// destroyed get `closed`. Cancelling a wait does not affect the child.
///
/// Thread-safety: none; belongs to its loop.
class ChildProcess final : public net::MessageChannel {
public:
    /// Asks the guardian to start the program. Does not wait: `wait_started` returns whether it
    /// runs. Lines may be written immediately.
    [[nodiscard]] static net::NetResult<std::unique_ptr<ChildProcess>> launch(
        net::OwningLoop loop, const Guardian& guardian, const ChildSpec& spec,
        const ChildOptions& options = {});

    ~ChildProcess() override;

    /// Returns the process id once the program runs; `not_found`, `not_permitted` or `start_failed`
    /// if it does not, `timed_out` if that is unknown at the deadline.
    [[nodiscard]] boost::asio::awaitable<net::NetResult<pid_t>> wait_started(
        resilience::Deadline deadline);

    /// Queues a JSON text as one line. Fails if the queue is full (`overloaded`), if the child's
    /// input is closed (`closed`), or if the text is not one line.
    [[nodiscard]] net::NetResult<void> try_write(std::string_view json) override;
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json) override;

    /// Reads the next line of the child's output. At the end of the output it waits up to
    /// `exit_wait` for the exit; the message of `closed` explains the end.
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::string_view>> read() override;
    /// Stops the child as the options say. Pending messages are dropped, because a child that is
    /// stopping does not need them.
    [[nodiscard]] boost::asio::awaitable<void> close() override;

    /// Returns how the child ended; `timed_out` if it still runs at the deadline. Returns the error
    /// of `wait_started` if it was never started.
    [[nodiscard]] boost::asio::awaitable<net::NetResult<ChildExit>> wait_exit(
        resilience::Deadline deadline);

    /// Closes the input, waits, sends SIGTERM to the group, waits, sends SIGKILL. Success means
    /// that no process of the child is left; `timed_out` that one survived. May be called again
    /// after it was cancelled.
    [[nodiscard]] boost::asio::awaitable<net::NetResult<void>> stop(StopOptions options);

    [[nodiscard]] std::optional<ChildExit> exit() const;
    /// Whether bytes written to its input wait there, because it has not read them yet.
    [[nodiscard]] bool has_unread_input() const;
    /// The last lines of its log; see `TailBuffer`.
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const;
    /// The same for readers on any thread, which may outlive this object.
    [[nodiscard]] std::shared_ptr<const SharedTail> log() const;
    /// Nothing until the program runs.
    [[nodiscard]] std::optional<pid_t> pid() const;

private:
    explicit ChildProcess(std::shared_ptr<ChildState> state);

    // Shared with the coroutines that serve the descriptors, which may outlive this object.
    std::shared_ptr<ChildState> state_;
};

}  // namespace holdfast::process
