#include "process/guardian_spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "process/inherited_descriptors.hpp"
#include "process/process_limits.hpp"

namespace holdfast::process {
namespace {

constexpr int kExitCodeNotStarted = 127;
constexpr int kFirstFreeFd = 3;

void restore_signals() {
    for (int number = 1; number < NSIG; ++number) {
        // SIGKILL, SIGSTOP and the signals of the C library cannot be changed and keep their
        // default.
        ::signal(number, SIG_DFL);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void give_up(int outcome, SpawnStage stage) {
    const SpawnFailure failure{.stage = stage, .error = errno};
    // If the guardian has ended too, there is no one to report to.
    [[maybe_unused]] const ssize_t written = ::write(outcome, &failure, sizeof(failure));
    ::_exit(kExitCodeNotStarted);
}

// Moves a descriptor above the three that are about to be set.
int moved_above_stdio(int fd) {
    return fd >= kFirstFreeFd ? fd : ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeFd);
}

bool take_over_stdio(const std::array<int, 3>& stdio) {
    std::array<int, 3> sources{};
    for (std::size_t index = 0; index < stdio.size(); ++index) {
        sources[index] = moved_above_stdio(stdio[index]);
        if (sources[index] == -1) {
            return false;
        }
    }
    for (int target = 0; target < kFirstFreeFd; ++target) {
        if (::dup2(sources[static_cast<std::size_t>(target)], target) == -1) {
            return false;
        }
    }
    return true;
}

// A core file would contain the secrets of the server.
bool restrict_rights(const SpawnOrder& order) {
    constexpr rlimit kNone{.rlim_cur = 0, .rlim_max = 0};
    return ::setrlimit(RLIMIT_CORE, &kNone) == 0 &&
           (order.may_gain_privileges || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
}

[[noreturn]] void become_program(SpawnOrder& order, const std::array<int, 3>& stdio, int outcome,
                                 pid_t guardian) {
    ::setsid();
    // If the guardian is killed, at least the child itself is killed with it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != guardian) {
        ::_exit(kExitCodeNotStarted);
    }
    restore_signals();
    outcome = moved_above_stdio(outcome);
    if (outcome == -1 || !take_over_stdio(stdio) || !restrict_rights(order)) {
        give_up(outcome, SpawnStage::preparing);
    }
    // The child must not inherit descriptors of the gateway's parent.
    process::keep_descriptors_from_programs(kFirstFreeFd);
    // Some programs touch every descriptor that they may have.
    process::lower_descriptor_limit(order.max_descriptors);
    if (*order.directory != '\0' && ::chdir(order.directory) == -1) {
        give_up(outcome, SpawnStage::directory);
    }
    environ = order.environment.data();
    ::execvp(order.arguments.front(), order.arguments.data());
    give_up(outcome, SpawnStage::program);
}

}  // namespace

SpawnedChild spawn_child(SpawnOrder& order, const std::array<int, 3>& stdio,
                         const OomScore& oom_score) {
    SpawnedChild child;
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == -1) {
        child.failure.error = errno;
        return child;
    }
    child.outcome.reset(ends[0]);
    const platform::UniqueFd far_end{ends[1]};
    const pid_t guardian = ::getpid();
    {
        const OomScore::Raised for_the_child{oom_score};
        child.pid = ::fork();
        if (child.pid == 0) {
            become_program(order, stdio, far_end.get(), guardian);
        }
        child.failure.error = child.pid == -1 ? errno : 0;
    }
    return child;
}

SpawnProgress read_spawn_outcome(int fd, SpawnFailure& failure) {
    ssize_t size_bytes = -1;
    do {
        size_bytes = ::read(fd, &failure, sizeof(failure));
    } while (size_bytes == -1 && errno == EINTR);
    if (size_bytes == -1 && errno == EAGAIN) {
        return SpawnProgress::pending;
    }
    return size_bytes == sizeof(failure) ? SpawnProgress::failed : SpawnProgress::running;
}

}  // namespace holdfast::process
