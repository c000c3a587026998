#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::base {

/// Returns a number with its noun: "1 attempt", "3 attempts". Only for nouns whose plural ends in
/// "s".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
    return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

}  // namespace holdfast::base
