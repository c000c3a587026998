#include "net/unique_fd.hpp"

#include <unistd.h>

namespace holdfast::net {

void UniqueFd::reset(int fd) noexcept {
    const int old = std::exchange(fd_, fd);
    if (old >= 0 && old != fd) {
        // After an error the descriptor is closed all the same on Linux.
        ::close(old);
    }
}

}  // namespace holdfast::net
