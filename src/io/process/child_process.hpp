#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/deadline.hpp"
#include "net/loop.hpp"
#include "net/net_error.hpp"
#include "process/child_options.hpp"
#include "process/guardian.hpp"
#include "process/tail_buffer.hpp"

namespace holdfast::process {

struct ChildState;

/// A child process of the guardian, with lines in both directions. Its standard error is always
/// drained, so that it never blocks on its log, and the last part is kept.
///
/// It lives on one loop, from `launch` to destruction. Destroying it at any time ends the child
/// and all that the child started, at once; `stop` is the polite way. Coroutines that wait on it
/// when it is destroyed get `closed`. Cancelling a wait leaves the child as it is.
///
/// Thread-safety: none; belongs to its loop.
class ChildProcess final {
public:
    /// Told once, on the loop, when the child's process has ended or was never started; after that
    /// every wait has its answer. Not told after the object is destroyed.
    using ExitListener = std::function<void(const ChildExit&)>;

    /// Asks the guardian to start the program. Does not wait: whether it runs is said by
    /// `wait_started`, and lines may be pushed at once.
    [[nodiscard]] static net::NetResult<std::unique_ptr<ChildProcess>> launch(
        net::OwningLoop loop, const Guardian& guardian, const ChildSpec& spec,
        const ChildOptions& options = {});

    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess();

    /// The process id once the program runs; `not_found`, `not_permitted` or `start_failed` if it
    /// does not, `timed_out` if that is not known in time.
    [[nodiscard]] boost::asio::awaitable<net::NetResult<pid_t>> wait_started(
        resilience::Deadline deadline);

    /// Puts a JSON text in the queue as one line. Refuses when the queue is full (`overloaded`),
    /// when the child's input is closed (`closed`), and what is not one line.
    [[nodiscard]] net::NetResult<void> try_write(std::string_view json);
    /// The same ahead of all that waits, but never inside a message that is being written.
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json);

    /// The next line of the child's output; the view is valid until the next call. After
    /// `message_too_long` reading goes on with the next line. `closed` when the output has ended,
    /// which can be before or after the exit is known. One call at a time.
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::string_view>> read_line();

    /// How the child ended; `timed_out` if it is still there at the deadline. The error of
    /// `wait_started` if it was never started.
    [[nodiscard]] boost::asio::awaitable<net::NetResult<ChildExit>> wait_exit(
        resilience::Deadline deadline);

    /// Closes the input, waits, sends SIGTERM to the group, waits, sends SIGKILL. Success means
    /// that nothing is left of the child; `timed_out` that something resisted even that. May be
    /// called again after it was cancelled.
    [[nodiscard]] boost::asio::awaitable<net::NetResult<void>> stop(StopOptions options);

    void set_exit_listener(ExitListener listener);

    [[nodiscard]] std::optional<ChildExit> exit() const;
    /// What it logged last; see `TailBuffer`.
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const;
    /// The same for readers on any thread, as long as they like.
    [[nodiscard]] std::shared_ptr<const SharedTail> log() const;
    /// Nothing until the program runs.
    [[nodiscard]] std::optional<pid_t> pid() const;
    [[nodiscard]] std::size_t queued_messages() const;

private:
    explicit ChildProcess(std::shared_ptr<ChildState> state);

    // Shared with the coroutines that serve the descriptors, which end after this object has.
    std::shared_ptr<ChildState> state_;
};

}  // namespace holdfast::process
