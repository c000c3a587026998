#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "platform/unique_fd.hpp"

namespace holdfast::process {

inline constexpr std::size_t kMaxPassedFds = 3;

/// Sends one message with the descriptors, without waiting and without a signal. Returns 0 or the
/// errno; a message is sent completely or not at all.
[[nodiscard]] int send_message(int socket, std::span<const char> bytes, std::span<const int> fds);

enum class ReceiveOutcome { message, would_block, closed };

struct ReceivedMessage {
    ReceiveOutcome outcome = ReceiveOutcome::closed;
    std::size_t size_bytes = 0;
    std::array<platform::UniqueFd, kMaxPassedFds> fds;
    std::size_t fd_count = 0;
};

/// Receives the next message without waiting. A message that does not fit into `buffer`, or with
/// more than `kMaxPassedFds` descriptors, becomes an empty message, which no reader accepts as a
/// frame. Descriptors have close-on-exec set.
[[nodiscard]] ReceivedMessage receive_message(int socket, std::span<char> buffer);

/// Creates a connected pair of message sockets, close-on-exec and non-blocking; sets `error` to the
/// errno on failure.
[[nodiscard]] std::pair<platform::UniqueFd, platform::UniqueFd> make_message_pair(int& error);

}  // namespace holdfast::process
