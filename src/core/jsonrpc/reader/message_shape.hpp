#pragma once

#include "jsonrpc/message.hpp"
#include "jsonrpc/reader/message_walk.hpp"

namespace holdfast::jsonrpc {

/// Which of the four shapes of a message the members noted by a walk have, or why none.
[[nodiscard]] Result<Message, ReadFault> shaped(ReaderMemory& memory);

}  // namespace holdfast::jsonrpc
