#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::search {

/// Tells bytes that a disk or a half-finished write has changed. No protection against somebody who
/// wants to deceive.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes) noexcept;

}  // namespace holdfast::search
