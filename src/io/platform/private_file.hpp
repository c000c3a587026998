#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/time.hpp"

// Files that several processes of one user share without a lock. A file is replaced as a whole by a
// rename, so a reader sees the old content or the new one, and of two writers the later one wins.

namespace holdfast::platform {

/// Nothing if there is none, it is larger, it is no plain file, or somebody else may have written
/// it: not ours, or others may write to it.
[[nodiscard]] std::optional<std::string> private_file_content(const std::string& path,
                                                              std::size_t max_bytes);

/// Why a file could not be written, in words.
struct FileFault {
    std::string message;
};

/// Replaces the file or makes it; only its owner may read it. Makes the folders that are missing,
/// for their owner only. On failure what was there is still there. Not synced to the disk: what a
/// power failure leaves half written must be recognisable by its content.
[[nodiscard]] std::optional<FileFault> replace_atomically(const std::string& path,
                                                          std::string_view content);

/// Marks the file as in use, so that it is not removed by `remove_forgotten_files`.
void touch_private_file(const std::string& path);

/// Removes from a folder the files that nobody has replaced or touched for `max_age`, and what
/// writers that died have left behind. `now` is the time of the system's clock.
void remove_forgotten_files(const std::string& folder, resilience::Duration max_age,
                            std::chrono::system_clock::time_point now);

}  // namespace holdfast::platform
