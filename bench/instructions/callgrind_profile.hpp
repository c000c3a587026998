#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::bench {

/// What callgrind counted between two of its dumps.
///
/// Thread-safety: that of a plain value.
struct CallgrindProfile {
    struct Function {
        std::uint64_t own_instructions = 0;
        std::uint64_t calls = 0;
    };

    std::uint64_t instructions = 0;
    std::map<std::string, Function, std::less<>> functions = {};

    /// Calls of all functions whose names begin with one of these.
    [[nodiscard]] std::uint64_t calls_of(std::initializer_list<std::string_view> names) const;
    /// The functions with the most instructions of their own, the largest first.
    [[nodiscard]] std::vector<std::pair<std::string, Function>> largest(std::size_t count) const;
};

/// Reads a file that callgrind wrote. Ends the benchmark if it is not one.
[[nodiscard]] CallgrindProfile read_callgrind_profile(const std::filesystem::path& file);

}  // namespace holdfast::bench
