#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::platform {

/// Distinguishes two versions of a file without reading them.
struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size_bytes = 0;
    std::int64_t changed_ns = 0;  ///< When its content changed last.

    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Nothing if there is no such file now. Waits for the disk.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::string& file);

/// Decides from regular looks at a file whether its content has changed. Stamps see every way in
/// which editors write files, on every file system. A change counts when two looks in a row see the
/// same stamp: until then the file may still be written.
///
/// Thread-safety: none.
class FileWatch final {
public:
    /// `known` is the stamp of what was read last.
    explicit FileWatch(std::optional<FileStamp> known) : reported_(known), seen_(known) {}

    /// Takes the stamp of a new look. Returns whether the file has changed since it was read or
    /// reported last.
    [[nodiscard]] bool on_look(const std::optional<FileStamp>& stamp);
    /// The file was read when it had this stamp.
    void on_read(const std::optional<FileStamp>& stamp) { reported_ = stamp; }

private:
    std::optional<FileStamp> reported_;
    std::optional<FileStamp> seen_;  // at the last look
};

}  // namespace holdfast::platform
