#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// The fixture server as a separate process on a free loopback port. Killed by the destructor.
///
/// Thread-safety: none.
class FixtureProcess final {
public:
    /// `transport` is `--http` or `--sse`.
    FixtureProcess(const std::string& transport, std::vector<std::string> more) {
        std::vector<std::string> arguments{HOLDFAST_FIXTURE_SERVER, transport, "127.0.0.1:0",
                                           "--lifetime-seconds", "120"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        std::vector<char*> pointers;
        for (std::string& argument : arguments) {
            pointers.push_back(argument.data());
        }
        pointers.push_back(nullptr);
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            return;
        }
        posix_spawn_file_actions_t actions{};
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        if (::posix_spawn(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ) != 0) {
            pid_ = -1;
        }
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        errors_ = ends[0];
        url_ = listening_url();
    }
    FixtureProcess(const FixtureProcess&) = delete;
    FixtureProcess& operator=(const FixtureProcess&) = delete;
    ~FixtureProcess() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        ::close(errors_);
    }

    /// Empty if the server could not be started.
    [[nodiscard]] const std::string& url() const noexcept { return url_; }

private:
    std::string listening_url() const {
        constexpr std::string_view kMark = "listening on ";
        std::string text;
        while (text.find('\n') == std::string::npos) {
            pollfd ready{.fd = errors_, .events = POLLIN, .revents = 0};
            constexpr int kMilliseconds = 20'000;
            std::array<char, 512> bytes{};
            if (::poll(&ready, 1, kMilliseconds) <= 0) {
                return {};
            }
            const ssize_t count = ::read(errors_, bytes.data(), bytes.size());
            if (count <= 0) {
                return {};
            }
            text.append(bytes.data(), static_cast<std::size_t>(count));
        }
        const std::size_t begin = text.find(kMark);
        return begin == std::string::npos
                   ? std::string{}
                   : text.substr(begin + kMark.size(), text.find('\n') - begin - kMark.size());
    }

    pid_t pid_ = -1;
    int errors_ = -1;
    std::string url_;
};

}  // namespace holdfast::test
