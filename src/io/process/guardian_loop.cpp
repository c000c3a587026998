// The guardian: a process with one thread and one poll().
//
// It waits for new leashes on the socket to the gateway, for orders on each leash, for children
// that are starting, and for exits. When a child has exited, the guardian sweeps: as long as /proc
// shows processes that the child started, it kills them, one try every 10 ms. When the gateway's
// end of the socket closes, for whatever reason, it kills all its descendants. As a subreaper it
// inherits every orphan below it, so once it has no child, no process is left.

#include "process/guardian_loop.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <vector>

#include "process/forbid_inspection.hpp"
#include "process/guardian_ward.hpp"
#include "process/inherited_descriptors.hpp"
#include "process/oom_score.hpp"
#include "process/process_limits.hpp"
#include "process/socket_message.hpp"

namespace holdfast::process {
namespace {

constexpr int kSweepIntervalMilliseconds = 10;
// About ten seconds; a process that survives SIGKILL for so long is stuck in the kernel.
constexpr int kMaxFinalRounds = 1'000;
constexpr std::size_t kMessageBytes = sizeof(Frame) + kMaxSpawnPayloadBytes;

sigset_t child_signal() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    return set;
}

ChildExit exit_of(const siginfo_t& death) {
    if (death.si_code == CLD_EXITED) {
        return {.kind = ChildExit::Kind::exited, .code = death.si_status};
    }
    return {.kind = ChildExit::Kind::signalled, .code = death.si_status};
}

class GuardianLoop final {
public:
    GuardianLoop(platform::UniqueFd socket, OomScore oom_score, std::size_t max_wards)
        : socket_(std::move(socket)),
          oom_score_(std::move(oom_score)),
          buffer_(kMessageBytes),
          max_wards_(max_wards) {
        const sigset_t set = child_signal();
        ::sigprocmask(SIG_SETMASK, &set, nullptr);
        deaths_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    }

    void serve() {
        while (socket_.is_open()) {
            fill_polled();
            if (::poll(polled_.data(), polled_.size(), timeout()) == -1 && errno != EINTR) {
                return;
            }
            serve_wards();
            // Finished wards make space for new ones; the results of poll() are no longer needed.
            remove_finished_wards();
            if (polled_[0].revents != 0) {
                take_leash();
            }
            reap();
            sweep();
            remove_finished_wards();
        }
    }

    void end_everything() {
        const sigset_t set = child_signal();
        const timespec pause{.tv_sec = 0, .tv_nsec = kSweepIntervalMilliseconds * 1'000'000L};
        for (int round = 0; round < kMaxFinalRounds; ++round) {
            for (const auto& ward : wards_) {
                ward->kill_group();
            }
            kill_descendants();
            reap();
            if (::waitid(P_ALL, 0, nullptr, WEXITED | WNOHANG | WNOWAIT) == -1 && errno == ECHILD) {
                return;
            }
            ::sigtimedwait(&set, nullptr, &pause);
        }
    }

private:
    void fill_polled() {
        polled_.clear();
        polled_.push_back({.fd = socket_.get(), .events = POLLIN, .revents = 0});
        polled_.push_back({.fd = deaths_.get(), .events = POLLIN, .revents = 0});
        for (const auto& ward : wards_) {
            polled_.push_back({.fd = ward->leash(), .events = POLLIN, .revents = 0});
            polled_.push_back({.fd = ward->outcome(), .events = POLLIN, .revents = 0});
        }
    }

    [[nodiscard]] int timeout() const {
        for (const auto& ward : wards_) {
            if (ward->is_sweeping()) {
                return kSweepIntervalMilliseconds;
            }
        }
        return -1;
    }

    void serve_wards() {
        for (std::size_t index = 0; index < wards_.size(); ++index) {
            if (polled_[3 + 2 * index].revents != 0) {
                wards_[index]->on_outcome();
            }
            if (polled_[2 + 2 * index].revents != 0) {
                wards_[index]->on_leash(buffer_);
            }
        }
    }

    void remove_finished_wards() {
        std::erase_if(wards_, [](const auto& ward) { return ward->state() == Ward::State::over; });
    }

    void take_leash() {
        ReceivedMessage message = receive_message(socket_.get(), buffer_);
        if (message.outcome == ReceiveOutcome::closed) {
            socket_.reset();
            return;
        }
        Frame frame;
        if (message.fd_count != 1 || !read_frame({buffer_.data(), message.size_bytes}, frame) ||
            frame.kind != FrameKind::adopt) {
            return;
        }
        auto ward = std::make_unique<Ward>(std::move(message.fds[0]), ++last_serial_, oom_score_);
        if (wards_.size() >= max_wards_) {
            ward->refuse(EAGAIN);
            return;
        }
        wards_.push_back(std::move(ward));
    }

    void reap() {
        std::array<signalfd_siginfo, 16> ignored{};
        while (::read(deaths_.get(), ignored.data(), sizeof(ignored)) > 0) {
        }
        siginfo_t death{};
        while (::waitid(P_ALL, 0, &death, WEXITED | WNOHANG | WNOWAIT) == 0 && death.si_pid > 0) {
            for (const auto& ward : wards_) {
                if (ward->pid() == death.si_pid && ward->state() != Ward::State::sweeping) {
                    ward->on_death(exit_of(death));
                }
            }
            ::waitpid(death.si_pid, nullptr, 0);
            death = {};
        }
    }

    void sweep() {
        if (timeout() == -1) {
            return;
        }
        table_.read();
        for (const auto& ward : wards_) {
            if (ward->is_sweeping()) {
                ward->sweep(table_);
            }
        }
    }

    void kill_descendants() {
        table_.read();
        for (const ProcessEntry& process : table_.entries()) {
            if (!process.is_dead && table_.kinship(process, ::getpid()) == Kinship::descendant) {
                ::kill(process.pid, SIGKILL);
            }
        }
    }

    platform::UniqueFd socket_;
    platform::UniqueFd deaths_;
    OomScore oom_score_;
    std::vector<char> buffer_;
    const std::size_t max_wards_;
    std::vector<std::unique_ptr<Ward>> wards_;
    std::vector<pollfd> polled_;
    ProcessTable table_;
    std::uint32_t last_serial_ = 0;
};

// The gateway decides when to end, so it handles Ctrl-C and hang-ups of the terminal.
void ignore_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2}) {
        ::signal(number, SIG_IGN);
    }
    ::signal(SIGCHLD, SIG_DFL);
}

// poll() takes at most as many entries as there may be descriptors.
std::size_t affordable_wards() {
    constexpr std::size_t kOthers = 32;
    const std::size_t descriptors = process::descriptor_limit().now;
    return std::max<std::size_t>(1, (descriptors - std::min(descriptors, kOthers)) / 2);
}

// The agent at the gateway's standard output must see it close when the gateway ends.
void close_inherited_fds(platform::UniqueFd& socket) {
    platform::UniqueFd nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    ::dup2(nothing.get(), STDIN_FILENO);
    ::dup2(nothing.get(), STDOUT_FILENO);
    // Its number may be the one that the socket gets next.
    nothing.reset();
    constexpr int kSocketFd = 3;
    if (socket.get() != kSocketFd) {
        ::dup3(socket.get(), kSocketFd, O_CLOEXEC);
        socket.reset(kSocketFd);
    }
    ::fcntl(kSocketFd, F_SETFD, FD_CLOEXEC);
    process::close_descriptors_from(kSocketFd + 1);
}

}  // namespace

void run_guardian(platform::UniqueFd socket, std::size_t max_wards) {
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_NAME, "holdfast-guard");
    ignore_signals();
    close_inherited_fds(socket);
    process::raise_descriptor_limit();
    // Never destroyed: the process ends here.
    auto* loop = new GuardianLoop(std::move(socket), OomScore::of_this_process(),
                                  std::min(max_wards, affordable_wards()));
    // Otherwise a child could read the gateway's environment here.
    forbid_inspection();
    loop->serve();
    loop->end_everything();
    ::_exit(0);
}

}  // namespace holdfast::process
