#include "platform/unique_fd.hpp"

#include <unistd.h>

namespace holdfast::platform {

void UniqueFd::reset(int fd) noexcept {
    const int old = std::exchange(fd_, fd);
    if (old >= 0 && old != fd) {
        // After an error the descriptor is closed all the same on Linux.
        ::close(old);
    }
}

}  // namespace holdfast::platform
