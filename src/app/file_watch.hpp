#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::app {

/// What tells two versions of a file apart without reading them.
struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size_bytes = 0;
    std::int64_t changed_ns = 0;  ///< When its content changed last.

    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Nothing if there is no such file now.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::string& file);

struct FileWatchOptions {
    resilience::Duration every = std::chrono::milliseconds{500};
};

/// Tells when a file has another content: by looking at it now and then, which sees what editors do
/// to files in every way, on every file system. A file that is still being written is waited for: a
/// change counts when two looks in a row see the same.
///
/// Thread-safety: none; belongs to the loop of its timekeeper.
class FileWatch final : private resilience::Timer {
public:
    /// `on_change` may be called from the first look on; it must not destroy this.
    FileWatch(resilience::Timekeeper& timekeeper, std::string file, FileWatchOptions options,
              std::function<void()> on_change);
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;
    ~FileWatch() override;

    /// Its content is known now, for another reason than a change that was told.
    void on_read() { told_ = stamp_of(file_); }
    /// No more looks.
    void stop();

private:
    void on_time() override;

    resilience::Timekeeper& timekeeper_;
    const std::string file_;
    const FileWatchOptions options_;
    const std::function<void()> on_change_;
    std::optional<FileStamp> told_;  // what was there when the file was read last
    std::optional<FileStamp> seen_;  // what was there at the last look
};

}  // namespace holdfast::app
