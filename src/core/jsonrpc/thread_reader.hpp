#pragma once

#include "jsonrpc/message_reader.hpp"

namespace holdfast::jsonrpc {

/// Returns the message reader of the calling thread, with the default limits unless
/// `set_reader_limits` has changed them. A loop is one thread, so this is the loop's reader: its
/// result is valid until anything on the loop reads a message. Use the result before the next
/// suspension.
[[nodiscard]] MessageReader& thread_reader();

/// Returns a second reader of the thread, for parts of a message that is still in use. Its result
/// is valid until its next use.
[[nodiscard]] MessageReader& part_reader();

/// Sets the limits of both readers of the calling thread.
void set_reader_limits(const ReaderLimits& limits);

}  // namespace holdfast::jsonrpc
