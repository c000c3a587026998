#pragma once

#include <cstddef>

#include "platform/unique_fd.hpp"

namespace holdfast::process {

/// Maximum number of children, including those that are being cleared away. It needs two
/// descriptors for each, so their limit may allow fewer.
inline constexpr std::size_t kMaxWards = 65'536;

/// Runs the guardian process: serves `socket` until the gateway's end of it is closed, then ends
/// all its descendants, and exits. Never returns, so no destructor and no exit handler of the
/// gateway runs a second time.
[[noreturn]] void run_guardian(platform::UniqueFd socket, std::size_t max_wards = kMaxWards);

}  // namespace holdfast::process
