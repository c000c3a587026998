#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::search {

/// Detects bytes changed by a faulty disk or an incomplete write. Does not protect against
/// deliberate changes.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes) noexcept;

}  // namespace holdfast::search
