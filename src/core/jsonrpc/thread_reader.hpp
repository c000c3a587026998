#pragma once

#include "jsonrpc/message_reader.hpp"

namespace holdfast::jsonrpc {

/// The reader of the calling thread for messages, with the default limits unless the thread has set
/// others (`set_reader_limits`). A loop is one thread, so
/// this is the loop's reader: what it has read is valid until anything on the loop reads a message
/// again, so it must be used up before the next suspension.
[[nodiscard]] MessageReader& thread_reader();

/// A second reader of the thread, for looking into a part of a message that is still in use. What
/// it has read is valid until the next use of it.
[[nodiscard]] MessageReader& part_reader();

/// Sets the limits of both readers of the calling thread.
void set_reader_limits(const ReaderLimits& limits);

}  // namespace holdfast::jsonrpc
