#pragma once

#include "jsonrpc/detail/message_walk.hpp"
#include "jsonrpc/message.hpp"

namespace holdfast::jsonrpc::detail {

/// Which of the four shapes of a message the members noted by a walk have, or why none.
[[nodiscard]] Result<Message, ReadFault> shaped(ReaderMemory& memory);

}  // namespace holdfast::jsonrpc::detail
