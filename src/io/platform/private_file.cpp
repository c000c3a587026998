#include "platform/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "platform/unique_fd.hpp"
#include "platform/write_all.hpp"

namespace holdfast::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".new-";
constexpr auto kMaxUnfinishedAge = std::chrono::hours{1};
constexpr std::size_t kMaxSweptFiles = 10'000;

FileFault fault_of(const std::string& what, const std::string& path, int error) {
    return {what + " " + path + ": " + std::generic_category().message(error)};
}

std::optional<FileFault> make_folders(const fs::path& folder) {
    fs::path made;
    for (const fs::path& part : folder) {
        made /= part;
        if (::mkdir(made.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
            // A folder above may be one in which we may not write, and yet exist.
            std::error_code ignored;
            const int error = errno;
            if (!fs::is_directory(made, ignored)) {
                return fault_of("cannot create the folder", made.string(), error);
            }
        }
    }
    return std::nullopt;
}

bool is_trusted(const struct stat& about) {
    return S_ISREG(about.st_mode) && about.st_uid == ::geteuid() &&
           (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::optional<std::string> private_file_content(const std::string& path, std::size_t max_bytes) {
    // Without O_NONBLOCK, opening a named pipe of this name would block.
    const platform::UniqueFd fd{
        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat about{};
    if (!fd.is_open() || ::fstat(fd.get(), &about) != 0 || !is_trusted(about) ||
        static_cast<std::size_t>(about.st_size) > max_bytes) {
        return std::nullopt;
    }
    std::string content(static_cast<std::size_t>(about.st_size), '\0');
    std::size_t size_bytes = 0;
    while (size_bytes < content.size()) {
        const ssize_t count =
            ::read(fd.get(), content.data() + size_bytes, content.size() - size_bytes);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return std::nullopt;
        }
        size_bytes += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return content;
}

std::optional<FileFault> replace_atomically(const std::string& path, std::string_view content) {
    const fs::path folder = fs::path{path}.parent_path();
    if (auto fault = make_folders(folder)) {
        return fault;
    }
    // A name that no other process or thread has; readable by the owner only.
    std::string unfinished = (folder / kUnfinished).string() + "XXXXXX";
    const platform::UniqueFd fd{::mkostemp(unfinished.data(), O_CLOEXEC)};
    if (!fd.is_open()) {
        return fault_of("cannot write in", folder.string(), errno);
    }
    if (!write_all(fd.get(), content) || ::rename(unfinished.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::unlink(unfinished.c_str());
        return fault_of("cannot write", path, error);
    }
    return std::nullopt;
}

void touch_private_file(const std::string& path) {
    // at worst the file is removed early
    std::ignore = ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

void remove_forgotten_files(const std::string& folder, resilience::Duration max_age,
                            std::chrono::system_clock::time_point now) {
    std::vector<fs::path> forgotten;
    std::error_code error;
    std::size_t seen = 0;
    for (auto file = fs::directory_iterator{folder, error};
         !error && file != fs::directory_iterator{} && seen < kMaxSweptFiles;
         file.increment(error), ++seen) {
        struct stat about{};
        if (::lstat(file->path().c_str(), &about) != 0 || !is_trusted(about)) {
            continue;
        }
        const auto age = now - std::chrono::system_clock::from_time_t(about.st_mtim.tv_sec);
        const bool is_unfinished = file->path().filename().string().starts_with(kUnfinished);
        if (age > max_age || (is_unfinished && age > kMaxUnfinishedAge)) {
            forgotten.push_back(file->path());
        }
    }
    for (const fs::path& path : forgotten) {
        fs::remove(path, error);
    }
}

}  // namespace holdfast::platform
