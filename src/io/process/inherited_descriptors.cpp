#include "process/inherited_descriptors.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

namespace holdfast::process {
namespace {

/// Without /proc, descriptors above this are not found.
constexpr rlim_t kMaxGuessed = 65'536;

struct CloseListing {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Kernels before 5.9 lack the call, kernels before 5.11 the flag.
bool changed_by_kernel(int first, unsigned flags) {
    return ::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, flags) == 0;
}

std::vector<int> guessed_descriptors(int first) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    std::vector<int> all;
    for (int fd = first; fd < static_cast<int>(std::min(limit.rlim_cur, kMaxGuessed)); ++fd) {
        all.push_back(fd);
    }
    return all;
}

std::vector<int> open_descriptors(int first) {
    const std::unique_ptr<DIR, CloseListing> directory{::opendir("/proc/self/fd")};
    if (!directory) {
        return guessed_descriptors(first);
    }
    std::vector<int> all;
    // No other thread reads this stream.
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    while (const dirent* item = ::readdir(directory.get())) {
        const std::string_view name{item->d_name};
        int fd = -1;
        const bool is_number =
            std::from_chars(name.data(), name.data() + name.size(), fd).ec == std::errc{};
        if (is_number && fd >= first && fd != ::dirfd(directory.get())) {
            all.push_back(fd);
        }
    }
    return all;
}

}  // namespace

void close_descriptors_from(int first) {
    if (!changed_by_kernel(first, 0)) {
        for (const int fd : open_descriptors(first)) {
            ::close(fd);
        }
    }
}

void keep_descriptors_from_programs(int first) {
    if (!changed_by_kernel(first, CLOSE_RANGE_CLOEXEC)) {
        for (const int fd : open_descriptors(first)) {
            ::fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
    }
}

}  // namespace holdfast::process
