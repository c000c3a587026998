#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::bench {

/// The counts between two callgrind dumps.
///
/// Thread-safety: that of a plain value.
struct CallgrindProfile {
    struct Function {
        std::uint64_t own_instructions = 0;
        std::uint64_t calls = 0;
    };

    std::uint64_t instructions = 0;
    std::map<std::string, Function, std::less<>> functions = {};

    /// Returns the calls of all functions whose names begin with one of these.
    [[nodiscard]] std::uint64_t calls_of(std::initializer_list<std::string_view> names) const;
    /// Returns the functions with the highest exclusive cost, the highest first.
    [[nodiscard]] std::vector<std::pair<std::string, Function>> largest(std::size_t count) const;
};

/// Reads a callgrind file. Ends the benchmark if the file is invalid.
[[nodiscard]] CallgrindProfile read_callgrind_profile(const std::filesystem::path& file);

}  // namespace holdfast::bench
