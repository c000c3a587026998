#pragma once

#include <cstddef>

#include "platform/unique_fd.hpp"

namespace holdfast::process {

/// Children at a time, those included that are being cleared away. With two descriptors each they
/// fit the usual limit of 1,024 on both sides.
inline constexpr std::size_t kMaxWards = 256;

/// The whole life of the guardian process: serves `socket` until the gateway's end of it is closed,
/// then ends every process that descends from it, and exits. Never returns to its caller, so no
/// destructor and no exit handler of the gateway runs a second time.
[[noreturn]] void run_guardian(platform::UniqueFd socket);

}  // namespace holdfast::process
