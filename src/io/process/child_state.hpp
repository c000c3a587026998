#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/buffer_budget.hpp"
#include "net/line_framer.hpp"
#include "net/read_budget.hpp"
#include "net/write_queue.hpp"
#include "process/child_process.hpp"
#include "process/guardian_protocol.hpp"
#include "process/stop_sequence.hpp"
#include "process/tail_buffer.hpp"

namespace holdfast::process {

/// The gateway's ends of a child's descriptors.
struct ChildEnds {
    platform::UniqueFd input;   // we write
    platform::UniqueFd output;  // we read
    platform::UniqueFd errors;  // we read
    platform::UniqueFd leash;
};

/// The state of a child. It only reacts to reports; the coroutines below move the bytes.
///
/// Thread-safety: none; belongs to its loop.
struct ChildState final {
    ChildState(net::OwningLoop owner, std::string program_name, const ChildOptions& limits,
               ChildEnds ends);

    /// Handles a message of the guardian; `on_leash_end` handles the end of the leash.
    void on_report(const Frame& frame);
    void on_leash_end();
    void close_input();
    /// Ends everything immediately: the owner is gone.
    void release();
    void send_signal(int number);
    /// Wakes all coroutines that wait for a change of the child.
    void announce();

    [[nodiscard]] ChildProgress progress() const;
    [[nodiscard]] net::NetError closed_error() const;

    net::OwningLoop loop;
    const std::string program;  // for error messages
    const ChildOptions options;
    boost::asio::posix::stream_descriptor input;
    boost::asio::posix::stream_descriptor output;
    boost::asio::posix::stream_descriptor errors;
    boost::asio::posix::stream_descriptor leash;
    net::WriteQueue queue;
    net::LineFramer framer;
    net::ReadTurn read_turn;
    const std::shared_ptr<SharedTail> log;  // shared with readers on other threads
    net::BufferShare log_share;
    resilience::OneShot work_queued;
    std::vector<resilience::OneShot*> watchers;
    std::optional<pid_t> pid;
    std::optional<net::NetError> start_error;
    std::optional<ChildExit> exit;
    std::optional<net::NetError> end_error;  // what the reader gets once the output has ended
    std::int32_t left_count = 0;
    bool is_cleared = false;
    bool is_input_closed = false;
    bool is_released = false;
};

/// Waits for the next change of the child. The watcher is in the list only while it waits.
[[nodiscard]] boost::asio::awaitable<resilience::WakeReason> wait_for_news(
    std::shared_ptr<ChildState> state, resilience::TimePoint until);

/// Serves the descriptors until they end. The state owns them and closes them to end this.
void start_serving(const std::shared_ptr<ChildState>& state);

}  // namespace holdfast::process
