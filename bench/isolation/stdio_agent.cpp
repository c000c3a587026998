#include "isolation/stdio_agent.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kAnswerWait = 20s;
constexpr auto kPause = 20ms;

std::array<int, 2> new_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        fail("cannot make a pipe");
    }
    return ends;
}

// Runs in the child process, between fork and exec.
[[noreturn]] void become(const std::vector<std::string>& command, const Cores& cores, int input,
                         int output) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    cores.apply();
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const std::string& word : command) {
        words.push_back(const_cast<char*>(word.c_str()));  // exec does not modify them
    }
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    std::_Exit(127);
}

}  // namespace

StdioAgent::StdioAgent(const std::vector<std::string>& command, const Cores& cores, Target target)
    : target_(std::move(target)) {
    const std::array<int, 2> input = new_pipe();
    const std::array<int, 2> output = new_pipe();
    const pid_t child = ::fork();
    if (child == 0) {
        become(command, cores, input[0], output[1]);
    }
    ::close(input[0]);
    ::close(output[1]);
    pid_ = child;
    input_ = input[1];
    output_ = output[0];
}

StdioAgent::~StdioAgent() {
    ::close(input_);
    ::close(output_);
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
}

void StdioAgent::call_until_right() {
    const Clock::time_point end = Clock::now() + kAnswerWait;
    while (answer_to_next().find(target_.expected) == std::string::npos) {
        if (Clock::now() > end) {
            fail("an agent on stdio was never answered \"" + target_.expected + "\"");
        }
        std::this_thread::sleep_for(kPause);
    }
}

std::chrono::nanoseconds StdioAgent::call() {
    const Clock::time_point begin = Clock::now();
    const std::string answer = answer_to_next();
    const Clock::time_point end = Clock::now();
    if (answer.find(target_.expected) == std::string::npos) {
        fail("a wrong answer on stdio:\n" + answer);
    }
    return end - begin;
}

std::string StdioAgent::answer_to_next() {
    const std::string line = call_text(target_, ++id_) + "\n";
    if (::write(input_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        fail("cannot write to the gateway");
    }
    const std::string wanted = "\"id\":" + std::to_string(id_);
    while (true) {
        std::size_t end = pending_.find('\n');
        while (end != std::string::npos) {
            std::string answer = pending_.substr(0, end);
            pending_.erase(0, end + 1);
            // Anything else is a notification.
            if (answer.find(wanted) != std::string::npos) {
                return answer;
            }
            end = pending_.find('\n');
        }
        pollfd readable{.fd = output_, .events = POLLIN, .revents = 0};
        std::array<char, 16'384> buffer{};
        const bool is_late =
            ::poll(&readable, 1, std::chrono::milliseconds{kAnswerWait}.count()) <= 0;
        const ssize_t size = is_late ? 0 : ::read(output_, buffer.data(), buffer.size());
        if (size <= 0) {
            fail("the gateway on stdio gave no answer");
        }
        pending_.append(buffer.data(), static_cast<std::size_t>(size));
    }
}

}  // namespace holdfast::bench
