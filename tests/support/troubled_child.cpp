// troubled_child <mode> [<number>]: a misbehaving server, for tests of child processes.
//
//   echo           sends every line back, and ends with its input
//   stubborn       ignores the end of its input and every signal except SIGKILL
//   family         starts a stubborn child, then echoes
//   daemon         leaves a stubborn daemon behind: forked twice, with its own session
//   chain <n>      a chain of n stubborn processes, each with its own session
//   crash <n>      aborts at the nth line
//   flood <n>      writes n bytes to standard error, then echoes
//   exit <n>       exits with n immediately
//   deaf           never reads its input
//   slow           echoes, but writes its output byte by byte
//
// Every mode except exit first writes the line "ready", when all its processes have started. Each
// of its processes ends after two minutes at the latest.

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

namespace {

constexpr unsigned kLifetimeSeconds = 120;

void limit_lifetime() {
    ::alarm(kLifetimeSeconds);
}

void write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(fd, bytes.data(), bytes.size());
        if (count == -1 && errno != EINTR) {
            ::_exit(3);
        }
        bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

void write_slowly(std::string_view bytes) {
    const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    for (const char byte : bytes) {
        write_all(STDOUT_FILENO, {&byte, 1});
        ::nanosleep(&pause, nullptr);
    }
}

// Calls `use` with every line, including its end, until the input ends.
template <class Use>
void for_each_line(Use use) {
    std::string pending;
    std::array<char, 65'536> block{};
    while (true) {
        const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
        if (count == -1 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return;
        }
        pending.append(block.data(), static_cast<std::size_t>(count));
        std::size_t begin = 0;
        for (std::size_t end = pending.find('\n'); end != std::string::npos;
             end = pending.find('\n', begin)) {
            use(std::string_view{pending}.substr(begin, end + 1 - begin));
            begin = end + 1;
        }
        pending.erase(0, begin);
    }
}

void echo() {
    for_each_line([](std::string_view line) { write_all(STDOUT_FILENO, line); });
}

void ignore_polite_signals() {
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) {
        ::signal(number, SIG_IGN);
    }
}

[[noreturn]] void stay() {
    ignore_polite_signals();
    while (true) {
        ::pause();
    }
}

void ready() {
    write_all(STDOUT_FILENO, "ready\n");
}

// Runs `body` in a forked process and waits until that process reports that it has started.
template <class Body>
void start_relative(Body body) {
    std::array<int, 2> there{};
    if (::pipe(there.data()) == -1) {
        ::_exit(3);
    }
    const pid_t pid = ::fork();
    if (pid == 0) {
        limit_lifetime();
        ::close(there[0]);
        body(there[1]);
    }
    ::close(there[1]);
    char byte = 0;
    if (pid == -1 || ::read(there[0], &byte, 1) != 1) {
        ::_exit(3);
    }
    ::close(there[0]);
}

[[noreturn]] void be_there(int there) {
    ignore_polite_signals();
    write_all(there, "x");
    ::close(there);
    stay();
}

[[noreturn]] void become_daemon(int there) {
    ::setsid();
    if (::fork() == 0) {
        limit_lifetime();
        ::close(STDIN_FILENO);
        ::close(STDOUT_FILENO);
        ::close(STDERR_FILENO);
        be_there(there);
    }
    ::_exit(0);
}

[[noreturn]] void chain(int length, int there) {
    ::setsid();
    if (length > 1) {
        start_relative([length](int next) { chain(length - 1, next); });
    }
    be_there(there);
}

void crash_at(int line_number) {
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    for_each_line([&line_number](std::string_view line) {
        if (--line_number == 0) {
            std::abort();
        }
        write_all(STDOUT_FILENO, line);
    });
}

void flood(int size_bytes) {
    std::string line(99, 'f');
    line += '\n';
    for (int written = 0; written < size_bytes; written += 100) {
        write_all(STDERR_FILENO, line);
    }
    write_all(STDERR_FILENO, "the last line\n");
}

int run(std::string_view mode, int number) {
    if (mode == "exit") {
        return number;
    }
    if (mode == "family") {
        start_relative(be_there);
    } else if (mode == "daemon") {
        start_relative(become_daemon);
    } else if (mode == "chain") {
        start_relative([number](int there) { chain(number, there); });
    } else if (mode == "flood") {
        flood(number);
    } else if (mode == "stubborn" || mode == "deaf") {
        ignore_polite_signals();
    }
    ready();
    if (mode == "stubborn") {
        echo();
        stay();
    }
    if (mode == "deaf") {
        stay();
    }
    if (mode == "crash") {
        crash_at(number);
    } else if (mode == "slow") {
        for_each_line(write_slowly);
    } else {
        echo();
    }
    return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
    limit_lifetime();
    if (argument_count < 2) {
        return 2;
    }
    return run(arguments[1], argument_count > 2 ? std::atoi(arguments[2]) : 0);
}
