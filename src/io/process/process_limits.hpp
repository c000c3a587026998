#pragma once

#include <cstddef>

namespace holdfast::process {

/// The value of a limit that is switched off.
inline constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

/// A limit of the operating system on this process.
struct ProcessLimit {
    std::size_t now = kNoLimit;
    std::size_t most = kNoLimit;  ///< Up to which the process may raise it.
};

/// RLIMIT_NOFILE: descriptors of this process.
[[nodiscard]] ProcessLimit descriptor_limit();
/// RLIMIT_NPROC: processes and threads of this user.
[[nodiscard]] ProcessLimit process_count_limit();

/// Raises the number of descriptors as far as the process may, but not above a million: some
/// systems allow more than any program can use.
void raise_descriptor_limit();
/// Lowers it again, for a program that is about to run here; zero changes nothing.
void lower_descriptor_limit(std::size_t limit);

}  // namespace holdfast::process
