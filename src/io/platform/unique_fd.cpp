#include "platform/unique_fd.hpp"

#include <unistd.h>

namespace holdfast::platform {

void UniqueFd::reset(int fd) noexcept {
    const int old = std::exchange(fd_, fd);
    if (old >= 0 && old != fd) {
        // Linux closes the descriptor even if close() reports an error.
        ::close(old);
    }
}

}  // namespace holdfast::platform
