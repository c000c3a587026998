#include "platform/write_all.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <tuple>

namespace holdfast::platform {

bool write_all(int descriptor, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            // Another process that shares the descriptor has made it non-blocking.
            pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
            std::ignore = ::poll(&ready, 1, -1);
            continue;
        }
        if (written <= 0) {
            return false;
        }
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace holdfast::platform
