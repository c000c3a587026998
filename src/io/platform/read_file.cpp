#include "platform/read_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "platform/unique_fd.hpp"

namespace holdfast::platform {
namespace {

FileFault unreadable(int error) {
    return {"cannot be read: " + std::generic_category().message(error)};
}

}  // namespace

// Does not use the size, which pipes and files of the kernel lack, nor a stream, whose iterators
// throw if a read fails.
resilience::Result<std::string, FileFault> read_unnamed_file(const std::string& path,
                                                             std::size_t max_bytes) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return FileFault{"is a folder, not a file"};
    }
    const platform::UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file.is_open()) {
        return unreadable(errno);
    }
    constexpr std::size_t kStepBytes = std::size_t{64} * 1024;
    std::string content;
    std::size_t size_bytes = 0;
    while (size_bytes <= max_bytes) {
        content.resize(size_bytes + std::min(kStepBytes, max_bytes + 1 - size_bytes));
        const ssize_t count =
            ::read(file.get(), content.data() + size_bytes, content.size() - size_bytes);
        if (count < 0 && errno != EINTR) {
            return unreadable(errno);
        }
        if (count == 0) {
            content.resize(size_bytes);
            return content;
        }
        size_bytes += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    return FileFault{"is larger than " + std::to_string(max_bytes) + " bytes"};
}

resilience::Result<std::string, FileFault> read_file(const std::string& path,
                                                     std::size_t max_bytes) {
    auto content = read_unnamed_file(path, max_bytes);
    if (!content) {
        return FileFault{path + " " + content.error().message};
    }
    return content;
}

}  // namespace holdfast::platform
