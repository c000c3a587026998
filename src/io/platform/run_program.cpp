#include "platform/run_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "holdfast/resilience/expect.hpp"
#include "platform/process_end.hpp"

namespace holdfast::platform {
namespace {

/// The changes to the child's standard streams before it runs the program.
class FileActions {
public:
    FileActions() {
        HOLDFAST_EXPECT(::posix_spawn_file_actions_init(&actions_) == 0);
        for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) {
            HOLDFAST_EXPECT(
                ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0) == 0);
        }
    }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

    [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

int exit_status(pid_t child) {
    int status = 0;
    pid_t ended = -1;
    do {
        ended = ::waitpid(child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::optional<FileFault> run_program(std::vector<std::string> arguments,
                                     resilience::Duration max_time) {
    HOLDFAST_EXPECT(!arguments.empty());
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    const FileActions actions;
    pid_t child = -1;
    const int error =
        ::posix_spawnp(&child, pointers.front(), actions.get(), nullptr, pointers.data(), environ);
    if (error != 0) {
        return FileFault{"cannot run " + arguments.front() + ": " +
                         std::generic_category().message(error)};
    }
    if (!ends_within(child, max_time)) {
        ::kill(child, SIGKILL);
        exit_status(child);
        return FileFault{arguments.front() + " did not finish in time"};
    }
    const int status = exit_status(child);
    if (status != 0) {
        return FileFault{arguments.front() + " failed (exit code " + std::to_string(status) + ")"};
    }
    return std::nullopt;
}

}  // namespace holdfast::platform
