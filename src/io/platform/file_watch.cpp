#include "platform/file_watch.hpp"

#include <sys/stat.h>

#include <chrono>
#include <utility>

namespace holdfast::platform {

std::optional<FileStamp> stamp_of(const std::string& file) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) != 0) {
        return std::nullopt;
    }
    const auto changed = std::chrono::seconds{status.st_mtim.tv_sec} +
                         std::chrono::nanoseconds{status.st_mtim.tv_nsec};
    return FileStamp{.device = status.st_dev,
                     .inode = status.st_ino,
                     .size_bytes = status.st_size,
                     .changed_ns = std::chrono::nanoseconds{changed}.count()};
}

bool FileWatch::on_look(const std::optional<FileStamp>& stamp) {
    const auto before = std::exchange(seen_, stamp);
    // An editor may remove the file for a moment before it puts a new one there.
    const bool is_change = seen_ && seen_ == before && seen_ != reported_;
    if (is_change) {
        reported_ = seen_;
    }
    return is_change;
}

}  // namespace holdfast::platform
