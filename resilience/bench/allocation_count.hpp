#pragma once

#include <cstdint>

namespace holdfast::resilience::bench {

/// Returns the number of calls of the global operator new since the program started.
[[nodiscard]] std::uint64_t allocation_count() noexcept;

}  // namespace holdfast::resilience::bench
