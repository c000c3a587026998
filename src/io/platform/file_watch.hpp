#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::platform {

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

/// Looks at a file and hands over what it saw, at once or later, on the loop of the watch. False if
/// it cannot look now.
using FileLook = std::function<bool(const std::string& file,
                                    std::function<void(std::optional<FileStamp>)> on_seen)>;
/// At once, which waits for the disk.
bool look_at_once(const std::string& file,
                  const std::function<void(std::optional<FileStamp>)>& on_seen);

/// Tells when a file has another content: by looking at it now and then, which sees what editors do
/// to files in every way, on every file system. A file that is still being written is waited for: a
/// change counts when two looks in a row see the same.
///
/// Thread-safety: none; belongs to the loop of its timekeeper.
class FileWatch final : private resilience::Timer {
public:
    /// `known` is what was there when the file was read. `on_change` may be called from the first
    /// look on; it must not destroy this. What `look` sees must not come after this is destroyed.
    FileWatch(resilience::Timekeeper& timekeeper, std::string file, FileWatchOptions options,
              std::optional<FileStamp> known, FileLook look, std::function<void()> on_change);
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;
    ~FileWatch() override;

    /// The content that this tells of is known now.
    void on_read(const std::optional<FileStamp>& stamp) { told_ = stamp; }
    /// No more looks.
    void stop();

private:
    void on_time() override;
    void on_seen(const std::optional<FileStamp>& stamp);

    resilience::Timekeeper& timekeeper_;
    const std::string file_;
    const FileWatchOptions options_;
    const FileLook look_;
    const std::function<void()> on_change_;
    bool is_looking_ = false;
    bool is_stopped_ = false;
    std::optional<FileStamp> told_;  // what was there when the file was read last
    std::optional<FileStamp> seen_;  // what was there at the last look
};

}  // namespace holdfast::platform
