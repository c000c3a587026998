#pragma once

#include "jsonrpc/message.hpp"
#include "jsonrpc/reader/message_walk.hpp"

namespace holdfast::jsonrpc {

/// Makes a message of the members that a walk found, or returns why they have none of the four
/// shapes.
[[nodiscard]] Result<Message, ReadFault> shaped(ReaderMemory& memory);

}  // namespace holdfast::jsonrpc
