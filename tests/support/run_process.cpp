#include "support/run_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// The child writes to anonymous files instead of pipes, so that neither side waits for the other.
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string content_of(std::FILE* file) {
    std::string content;
    std::array<char, 4096> block{};
    std::fseek(file, 0, SEEK_SET);
    while (const std::size_t size_bytes = std::fread(block.data(), 1, block.size(), file)) {
        content.append(block.data(), size_bytes);
    }
    return content;
}

bool start(std::vector<std::string>& command, int out, int errors, pid_t& child) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& argument : command) {
        arguments.push_back(argument.data());
    }
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    const int error =
        posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0;
}

int exit_code_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) == -1) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

FinishedProcess run_process(std::vector<std::string> command) {
    const File out{std::tmpfile()};
    const File errors{std::tmpfile()};
    pid_t child = 0;
    if (!out || !errors || !start(command, fileno(out.get()), fileno(errors.get()), child)) {
        return {};
    }
    const int exit_code = exit_code_of(child);
    return {
        .exit_code = exit_code, .out = content_of(out.get()), .errors = content_of(errors.get())};
}

}  // namespace holdfast::test
