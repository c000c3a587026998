#pragma once

#include <cstddef>

namespace holdfast::net {

/// Limits of the messages that wait to be written to a peer.
struct WriteQueueOptions {
    std::size_t max_messages = 256;
    std::size_t max_bytes = std::size_t{64} * 1024 * 1024;
    /// Slots for urgent messages, in addition to the others: a queue full of calls still accepts
    /// their cancellations.
    std::size_t max_urgent_messages = 256;
    std::size_t max_urgent_bytes = std::size_t{1} * 1024 * 1024;
};

}  // namespace holdfast::net
