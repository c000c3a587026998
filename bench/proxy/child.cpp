#include "proxy/child.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartWait = 30s;
constexpr auto kStopWait = 2s;
constexpr auto kPause = 10ms;

std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream{file};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

// Runs in the child process, between fork and exec.
[[noreturn]] void become(const std::vector<std::string>& arguments, const Cores& cores,
                         const std::filesystem::path& log) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    cores.apply();
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));  // exec does not modify them
    }
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    std::perror(words.front());
    std::_Exit(127);
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

bool accepts_connections(std::uint16_t port) {
    const sockaddr_in address = loopback(port);
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_open =
        ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    return is_open;
}

}  // namespace

void Cores::apply() const {
    if (numbers.empty()) {
        return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int number : numbers) {
        CPU_SET(static_cast<std::size_t>(number), &set);
    }
    ::sched_setaffinity(0, sizeof set, &set);
}

Child::Child(std::string name, const std::vector<std::string>& arguments, const Cores& cores,
             std::filesystem::path log)
    : name_(std::move(name)), log_(std::move(log)), pid_(::fork()) {
    if (pid_ < 0) {
        fail("cannot start " + name_);
    }
    if (pid_ == 0) {
        become(arguments, cores, log_);
    }
}

Child::~Child() {
    ::kill(pid_, SIGTERM);
    ::kill(pid_, SIGCONT);
    for (auto waited = 0ms; waited < kStopWait; waited += kPause) {
        if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
            return;
        }
        std::this_thread::sleep_for(kPause);
    }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

std::string Child::said_behind(const std::string& mark) const {
    for (auto waited = 0ms; waited < kStartWait; waited += kPause) {
        const std::string text = text_of(log_);
        const std::size_t found = text.find(mark);
        const std::size_t begin = found + mark.size();
        const std::size_t end = found == std::string::npos ? found : text.find('\n', begin);
        if (end != std::string::npos) {
            return text.substr(begin, end - begin);
        }
        std::this_thread::sleep_for(kPause);
    }
    give_up("did not say \"" + mark + "\"");
}

void Child::expect_listening(std::uint16_t port) const {
    for (auto waited = 0ms; waited < kStartWait; waited += kPause) {
        if (accepts_connections(port)) {
            return;
        }
        std::this_thread::sleep_for(kPause);
    }
    give_up("does not listen on port " + std::to_string(port));
}

void Child::freeze() const {
    ::kill(pid_, SIGSTOP);
}

std::chrono::nanoseconds Child::cpu_time() const {
    clockid_t clock = 0;
    timespec time{};
    if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
        give_up("is gone");
    }
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

Memory Child::memory() const {
    std::ifstream status{"/proc/" + std::to_string(pid_) + "/status"};
    Memory memory;
    std::string word;
    while (status >> word) {
        if (word == "VmRSS:") {
            status >> memory.resident_kb;
        } else if (word == "RssAnon:") {
            status >> memory.anonymous_kb;
        }
    }
    return memory;
}

void Child::give_up(const std::string& why) const {
    fail(name_ + " " + why + "; it said:\n" + text_of(log_));
}

bool try_take_priority() {
    const sched_param lowest{.sched_priority = ::sched_get_priority_min(SCHED_RR)};
    return ::sched_setscheduler(0, SCHED_RR, &lowest) == 0;
}

std::uint16_t free_port() {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket, generic, size) != 0 || ::getsockname(socket, generic, &size) != 0) {
        fail("there is no free port");
    }
    ::close(socket);
    return ntohs(address.sin_port);
}

void fail(const std::string& sentence) {
    std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, sentence.c_str());
    std::exit(EXIT_FAILURE);
}

}  // namespace holdfast::bench
