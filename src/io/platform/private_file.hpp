#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/time.hpp"

// Files that several processes of one user share without a lock. A rename replaces a whole file, so
// a reader sees the old or the new content, and the later of two writers wins.

namespace holdfast::platform {

/// Returns the content. Nothing if the file is missing, larger, not a regular file, not owned by
/// this user, or writable by others.
[[nodiscard]] std::optional<std::string> private_file_content(const std::string& path,
                                                              std::size_t max_bytes);

/// Why a file operation failed.
struct FileFault {
    std::string message;
};

/// Replaces or creates the file, readable by its owner only. Creates missing folders, for their
/// owner only. On failure the previous content stays. Not synced to the disk: a reader must be able
/// to recognise content that a power failure truncated.
[[nodiscard]] std::optional<FileFault> replace_atomically(const std::string& path,
                                                          std::string_view content);

/// Marks the file as in use, so that `remove_forgotten_files` keeps it.
void touch_private_file(const std::string& path);

/// Removes the files of a folder that have not been replaced or touched for `max_age`, and
/// unfinished files of writers that died. `now` is the time of the system clock.
void remove_forgotten_files(const std::string& folder, resilience::Duration max_age,
                            std::chrono::system_clock::time_point now);

}  // namespace holdfast::platform
