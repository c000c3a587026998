#include "platform/process_end.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <limits>

#include "platform/unique_fd.hpp"

namespace holdfast::platform {
namespace {

using std::chrono::milliseconds;

/// How often a kernel without descriptors of processes is asked.
constexpr milliseconds kLookEvery{5};

bool has_ended(pid_t child) {
    siginfo_t end{};
    const auto id = static_cast<id_t>(child);
    const int result = ::waitid(P_PID, id, &end, WEXITED | WNOHANG | WNOWAIT);
    // An error means that it is not a child, or reaped.
    return (result == -1 && errno != EINTR) || end.si_pid == child;
}

bool polled_until_end(const UniqueFd& process, milliseconds max_time) {
    pollfd polled{.fd = process.get(), .events = POLLIN, .revents = 0};
    const auto limit = static_cast<int>(
        std::clamp<milliseconds::rep>(max_time.count(), 0, std::numeric_limits<int>::max()));
    int ready = -1;
    do {
        ready = ::poll(&polled, 1, limit);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

bool asked_until_end(pid_t child, milliseconds max_time) {
    const timespec pause{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds{kLookEvery}.count()};
    for (milliseconds waited{}; !has_ended(child); waited += kLookEvery) {
        if (waited >= max_time) {
            return false;
        }
        ::nanosleep(&pause, nullptr);
    }
    return true;
}

}  // namespace

bool ends_within(pid_t child, resilience::Duration max_time) {
    const auto limit = std::chrono::duration_cast<milliseconds>(max_time);
    // Kernels before 5.3 lack this call. The header of glibc 2.36 declares it for C only.
    const UniqueFd process{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))};
    return process.is_open() ? polled_until_end(process, limit) : asked_until_end(child, limit);
}

}  // namespace holdfast::platform
