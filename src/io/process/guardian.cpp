#include "process/guardian.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "platform/process_end.hpp"
#include "process/forbid_inspection.hpp"
#include "process/guardian_loop.hpp"
#include "process/guardian_protocol.hpp"
#include "process/process_limits.hpp"
#include "process/socket_message.hpp"

namespace holdfast::process {
namespace {

// Longer than the guardian itself takes at most.
constexpr auto kEndWait = std::chrono::seconds{15};
// For the last steps of a process that was killed; a loop waits meanwhile.
constexpr auto kDeathWait = std::chrono::milliseconds{50};
constexpr int kSuccessorSocket = 3;
constexpr std::string_view kGuardianArgument = "--guardian-of-children";

int send_adoption(int socket, int leash) {
    const Frame frame{.kind = FrameKind::adopt};
    std::array<char, sizeof(frame)> bytes{};
    std::memcpy(bytes.data(), &frame, sizeof(frame));
    return send_message(socket, bytes, {&leash, 1});
}

bool is_behind(int error) {
    return error == EAGAIN || error == ETOOMANYREFS || error == ENOBUFS;
}

/// Starts the program with the socket as its fourth descriptor and without an environment. Returns
/// the errno.
int spawn_successor(std::vector<std::string> command, int socket, pid_t& pid) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& argument : command) {
        arguments.push_back(argument.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    int error = ::posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = ::posix_spawn_file_actions_adddup2(&actions, socket, kSuccessorSocket);
    if (error == 0) {
        std::array<char*, 1> no_environment{nullptr};
        error = ::posix_spawn(&pid, arguments.front(), &actions, nullptr, arguments.data(),
                              no_environment.data());
    }
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

}  // namespace

/// The guardian at the moment. Its threads wait for each other while one is replaced.
struct Guardian::Hidden {
    [[nodiscard]] net::NetResult<void> adopt(int leash);
    [[nodiscard]] net::NetResult<void> replace();

    GuardianOptions options;
    std::mutex lock;
    platform::UniqueFd socket;
    pid_t pid = -1;
    std::size_t child_descriptors = 0;  // constant after the start
};

net::NetResult<void> Guardian::Hidden::adopt(int leash) {
    const int error = send_adoption(socket.get(), leash);
    if (error == 0) {
        return {};
    }
    if (is_behind(error)) {
        return net::system_error(net::NetErrc::overloaded, "the guardian is behind", error);
    }
    if (options.successor.empty()) {
        return net::system_error(net::NetErrc::closed, "the guardian is gone", error);
    }
    if (auto replaced = replace(); !replaced) {
        return replaced;
    }
    const int second = send_adoption(socket.get(), leash);
    return second == 0
               ? net::NetResult<void>{}
               : net::system_error(net::NetErrc::closed, "the new guardian is gone", second);
}

net::NetResult<void> Guardian::Hidden::replace() {
    socket.reset();  // one that still runs ends now
    if (pid > 0 && !platform::ends_within(pid, kDeathWait)) {
        return net::NetError{.code = net::NetErrc::overloaded,
                             .message = "the previous guardian is still ending its children"};
    }
    if (pid > 0) {
        ::waitpid(std::exchange(pid, -1), nullptr, WNOHANG);
    }
    int error = 0;
    auto [near_end, far_end] = make_message_pair(error);
    if (error == 0) {
        error = spawn_successor(options.successor, far_end.get(), pid);
    }
    if (error != 0) {
        pid = -1;
        return net::system_error(net::NetErrc::closed,
                                 "the guardian of child processes has died, and no other one can "
                                 "be started",
                                 error);
    }
    socket = std::move(near_end);
    if (options.on_replaced) {
        options.on_replaced();
    }
    return {};
}

net::NetResult<Guardian> Guardian::start(GuardianOptions options) {
    int error = 0;
    auto [near_end, far_end] = make_message_pair(error);
    if (error != 0) {
        return net::system_error(net::NetErrc::system_failure, "no socket to the guardian", error);
    }
    const pid_t pid = ::fork();
    if (pid == -1) {
        return net::system_error(net::NetErrc::system_failure, "the guardian was not started",
                                 errno);
    }
    if (pid == 0) {
        near_end.reset();
        run_guardian(std::move(far_end), options.max_children);
    }
    forbid_inspection();
    ::signal(SIGPIPE, SIG_IGN);
    auto hidden = std::make_unique<Hidden>();
    hidden->child_descriptors = process::descriptor_limit().now;
    process::raise_descriptor_limit();
    hidden->options = std::move(options);
    hidden->socket = std::move(near_end);
    hidden->pid = pid;
    return Guardian{std::move(hidden)};
}

Guardian::Guardian(std::unique_ptr<Hidden> hidden) noexcept : hidden_(std::move(hidden)) {}
Guardian::Guardian(Guardian&& other) noexcept = default;

Guardian::~Guardian() {
    if (hidden_ && hidden_->pid > 0) {
        hidden_->socket.reset();
        std::ignore = platform::ends_within(hidden_->pid, kEndWait);  // else nothing more to do
        ::waitpid(hidden_->pid, nullptr, WNOHANG);
    }
}

net::NetResult<void> Guardian::adopt(platform::UniqueFd far_end) const {
    const std::scoped_lock held{hidden_->lock};
    return hidden_->adopt(far_end.get());
}

pid_t Guardian::pid() const {
    const std::scoped_lock held{hidden_->lock};
    return hidden_->pid;
}

std::size_t Guardian::child_descriptors() const noexcept {
    return hidden_->child_descriptors;
}

void run_guardian_if_asked(int argument_count, char** arguments) {
    const std::span<char*> all{arguments, static_cast<std::size_t>(argument_count)};
    if (all.size() == 2 && all[1] == kGuardianArgument) {
        run_guardian(platform::UniqueFd{kSuccessorSocket});
    }
}

std::vector<std::string> this_program_as_guardian() {
    return {"/proc/self/exe", std::string{kGuardianArgument}};
}

}  // namespace holdfast::process
