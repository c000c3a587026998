#pragma once

#include <cstddef>

#include "platform/unique_fd.hpp"

namespace holdfast::process {

/// Maximum number of children, including those that are being cleared away. With two descriptors
/// each they fit into the usual limit of 1,024 on both sides.
inline constexpr std::size_t kMaxWards = 256;

/// Runs the guardian process: serves `socket` until the gateway's end of it is closed, then ends
/// all its descendants, and exits. Never returns, so no destructor and no exit handler of the
/// gateway runs a second time.
[[noreturn]] void run_guardian(platform::UniqueFd socket);

}  // namespace holdfast::process
