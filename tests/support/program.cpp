#include "support/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <tuple>
#include <utility>

#include "support/process_watch.hpp"

namespace holdfast::test {
namespace {

constexpr int kStillRunning = -1'000;
constexpr int kLogBytes = 262'144;

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

Pipe make_pipe() {
    std::array<int, 2> ends{-1, -1};
    std::ignore = ::pipe2(ends.data(), O_CLOEXEC);  // a failure shows when the pipe is used
    return {.read_end = ends[0], .write_end = ends[1]};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(std::vector<std::string> variables) {
    const std::size_t count = variables.size();
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        const std::string name = text.substr(0, text.find('=') + 1);
        const auto end = variables.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::none_of(variables.begin(), end,
                         [&name](const std::string& own) { return own.starts_with(name); })) {
            variables.push_back(text);
        }
    }
    return variables;
}

// The program's own writes to a closed pipe must fail as usual, although this process ignores
// SIGPIPE.
void restore_pipe_signal(posix_spawnattr_t& attributes) {
    sigset_t restored;
    ::sigemptyset(&restored);
    ::sigaddset(&restored, SIGPIPE);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigdefault(&attributes, &restored);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
}

}  // namespace

Program::Program(std::vector<std::string> command, std::vector<std::string> variables) {
    std::ignore = std::signal(SIGPIPE, SIG_IGN);
    auto environment = environment_with(std::move(variables));
    const Pipe input = make_pipe();
    const Pipe output = make_pipe();
    const Pipe errors = make_pipe();
    // A gateway drops log lines that do not fit, and a test may read them much later.
    std::ignore = ::fcntl(errors.write_end, F_SETPIPE_SZ, kLogBytes);
    posix_spawnattr_t attributes;
    restore_pipe_signal(attributes);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input.read_end, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.write_end, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors.write_end, STDERR_FILENO);
    const std::string path = command.front();
    if (::posix_spawn(&pid_, path.c_str(), &actions, &attributes, pointers_to(command).data(),
                      pointers_to(environment).data()) != 0) {
        pid_ = -1;
    }
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    for (const int end : {input.read_end, output.write_end, errors.write_end}) {
        ::close(end);
    }
    ::fcntl(input.write_end, F_SETFL, O_NONBLOCK);
    streams_ = ByteStream{output.read_end, input.write_end};
    errors_ = ByteStream{errors.read_end, -1};
}

Program::~Program() {
    if (pid_ > 0 && !is_reaped_) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

std::string Program::rest_of_error_line(std::string_view words) {
    while (true) {
        const std::size_t begin = said_.find(words, looked_at_);
        const std::size_t end = begin == std::string::npos ? begin : said_.find('\n', begin);
        if (end != std::string::npos) {
            const std::size_t rest = begin + words.size();
            std::string line = said_.substr(rest, end - rest);
            looked_at_ = end + 1;
            return line;
        }
        if (!errors_.read_into(said_)) {
            return {};
        }
    }
}

void Program::listen() {
    using namespace std::chrono_literals;
    while (is_readable(errors_.input(), 0ms) && errors_.read_into(said_, 0ms)) {
    }
}

const std::string& Program::all_error_text() {
    while (errors_.read_into(said_)) {
    }
    return said_;
}

ByteStream Program::take_streams() {
    return std::move(streams_);
}

void Program::send(int signal_number) const {
    if (pid_ > 0 && !is_reaped_) {
        ::kill(pid_, signal_number);
    }
}

int Program::wait() {
    int status = 0;
    is_reaped_ = is_reaped_ ||
                 eventually([this, &status] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
    if (!is_reaped_) {
        return kStillRunning;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace holdfast::test
