#include "support/process_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <filesystem>

#include "process/process_table.hpp"

namespace holdfast::test {
namespace {

constexpr int kWaitMilliseconds = 20'000;
constexpr int kStillRunning = -1'000;

}  // namespace

std::string program_next_to_test(const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

void inherit_orphans() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> descendants_of(pid_t ancestor) {
    process::ProcessTable table;
    table.read();
    std::vector<pid_t> found;
    for (const auto& process : table.entries()) {
        if (table.kinship(process, ancestor) == process::Kinship::descendant) {
            found.push_back(process.pid);
        }
    }
    return found;
}

std::vector<pid_t> zombies_of(pid_t parent) {
    process::ProcessTable table;
    table.read();
    std::vector<pid_t> found;
    for (const auto& process : table.entries()) {
        if (process.parent == parent && process.is_dead) {
            found.push_back(process.pid);
        }
    }
    return found;
}

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    const timespec pause{.tv_sec = 0, .tv_nsec = 2'000'000};
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= end) {
            return false;
        }
        ::nanosleep(&pause, nullptr);
    }
    return true;
}

bool has_no_descendant() {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

RunningProgram::RunningProgram(std::vector<std::string> command) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) == -1) {
        return;
    }
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& argument : command) {
        arguments.push_back(argument.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
        pid_ = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
}

RunningProgram::~RunningProgram() {
    if (pid_ > 0 && !is_reaped_) {
        ::kill(pid_, SIGKILL);
        std::ignore = wait();  // its exit code is not part of the test
    }
    ::close(output_);
}

std::string RunningProgram::first_line() {
    std::string line;
    pollfd polled{.fd = output_, .events = POLLIN, .revents = 0};
    char byte = 0;
    while (::poll(&polled, 1, kWaitMilliseconds) == 1 && ::read(output_, &byte, 1) == 1) {
        if (byte == '\n') {
            return line;
        }
        line.push_back(byte);
    }
    return {};
}

void RunningProgram::send(int signal_number) const {
    if (pid_ > 0 && !is_reaped_) {
        ::kill(pid_, signal_number);
    }
}

int RunningProgram::wait() {
    int status = 0;
    is_reaped_ = is_reaped_ ||
                 eventually([this, &status] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
    if (!is_reaped_) {
        return kStillRunning;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace holdfast::test
