#include "platform/sd_notify.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <tuple>

#include "platform/environment.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::platform {

bool send_service_notice(const std::string& socket, std::string_view state) {
    ::sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const bool is_address = socket.starts_with('/') || socket.starts_with('@');
    if (!is_address || socket.size() >= sizeof address.sun_path) {
        return false;
    }
    std::ranges::copy(socket, address.sun_path);
    if (socket.starts_with('@')) {
        address.sun_path[0] = '\0';  // an abstract name, not in the file system
    }
    const platform::UniqueFd fd{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    const std::string text{state};
    const auto size_bytes =
        static_cast<::socklen_t>(offsetof(::sockaddr_un, sun_path) + socket.size());
    return fd.is_open() && ::sendto(fd.get(), text.c_str(), text.size(), MSG_NOSIGNAL,
                                    reinterpret_cast<const ::sockaddr*>(&address),
                                    size_bytes) == static_cast<::ssize_t>(text.size());
}

void tell_service_manager(std::string_view state) {
    if (const auto socket = environment_variable("NOTIFY_SOCKET")) {
        std::ignore = send_service_notice(*socket, state);  // there is no other way to report it
    }
}

std::string reloading_notice() {
    // The manager distinguishes this reload from an earlier one by the time of its own clock.
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return "RELOADING=1\nMONOTONIC_USEC=" +
           std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace holdfast::platform
