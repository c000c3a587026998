#include "platform/file_watch.hpp"

#include <sys/stat.h>

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

bool look_at_once(const std::string& file,
                  const std::function<void(std::optional<FileStamp>)>& on_seen) {
    on_seen(stamp_of(file));
    return true;
}

FileWatch::FileWatch(resilience::Timekeeper& timekeeper, std::string file, FileWatchOptions options,
                     std::optional<FileStamp> known, FileLook look, std::function<void()> on_change)
    : timekeeper_(timekeeper),
      file_(std::move(file)),
      options_(options),
      look_(std::move(look)),
      on_change_(std::move(on_change)),
      told_(known),
      seen_(known) {
    timekeeper_.schedule(*this, timekeeper_.now() + options_.every);
}

FileWatch::~FileWatch() {
    stop();
}

void FileWatch::stop() {
    is_stopped_ = true;
    if (is_scheduled()) {
        timekeeper_.cancel(*this);
    }
}

void FileWatch::on_time() {
    timekeeper_.schedule(*this, timekeeper_.now() + options_.every);
    if (is_looking_) {
        return;  // a disk that hangs gets no second look
    }
    is_looking_ = true;
    if (!look_(file_, [this](const std::optional<FileStamp>& stamp) { on_seen(stamp); })) {
        is_looking_ = false;
    }
}

void FileWatch::on_seen(const std::optional<FileStamp>& stamp) {
    is_looking_ = false;
    if (is_stopped_) {
        return;
    }
    const auto before = std::exchange(seen_, stamp);
    // An editor may take the file away for a moment to put a new one in its place.
    if (seen_ && seen_ == before && seen_ != told_) {
        told_ = seen_;
        on_change_();
    }
}

}  // namespace holdfast::platform
