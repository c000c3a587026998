#pragma once

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <memory>

#include "holdfast/resilience/time.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"
#include "net/write_queue_options.hpp"

namespace holdfast::net {

struct StdioChannelOptions {
    int input_fd = STDIN_FILENO;
    int output_fd = STDOUT_FILENO;
    std::size_t max_message_bytes = std::size_t{8} * 1024 * 1024;
    WriteQueueOptions write_queue = {};
    /// How long `close` waits for a reader to accept the rest.
    resilience::Duration close_wait = std::chrono::seconds{2};
};

/// Makes a channel over two descriptors, such as the standard streams: a message is a line. Works
/// for pipes, sockets, terminals and files, which are always ready. The descriptors are duplicated
/// and stay blocking: other processes may share them. The reader of the output sees its end when
/// the caller closes its own descriptor, or the process ends.
///
/// A lost reader closes the channel for writing; SIGPIPE must be ignored. Reading continues until
/// the input has ended. Fails if a descriptor is not open.
[[nodiscard]] NetResult<std::unique_ptr<MessageChannel>> make_stdio_channel(
    const OwningLoop& loop, const StdioChannelOptions& options = {});

}  // namespace holdfast::net
