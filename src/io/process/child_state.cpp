#include "process/child_state.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "process/socket_message.hpp"

namespace holdfast::process {
namespace {

namespace asio = boost::asio;

asio::posix::stream_descriptor descriptor(const net::OwningLoop& loop, platform::UniqueFd fd) {
    asio::posix::stream_descriptor stream{loop.executor, fd.release()};
    // Asio must know that the descriptor is non-blocking: otherwise it would wait in poll().
    boost::system::error_code ignored;
    std::ignore = stream.non_blocking(true, ignored);  // cannot fail for an open descriptor
    return stream;
}

net::NetErrc code_of(int error) {
    switch (error) {
        case ENOENT:
        case ENOTDIR:
            return net::NetErrc::not_found;
        case EACCES:
        case EPERM:
            return net::NetErrc::not_permitted;
        case EAGAIN:
            return net::NetErrc::overloaded;
        case E2BIG:
            return net::NetErrc::too_large;
        default:
            return net::NetErrc::start_failed;
    }
}

net::NetError start_error_of(const Frame& frame) {
    const auto stage = static_cast<SpawnStage>(frame.detail);
    const auto error = [&frame](const char* what) {
        return net::system_error(code_of(frame.value), what, frame.value);
    };
    if (stage == SpawnStage::directory) {
        return error("the program's directory cannot be used");
    }
    const bool is_short = frame.value == EAGAIN || frame.value == EMFILE;
    if (stage == SpawnStage::accepting && is_short) {
        return error(
            "the program cannot be started: as many children run as the limit of open files allows "
            "(RLIMIT_NOFILE)");
    }
    if (stage == SpawnStage::preparing && is_short) {
        return error(
            frame.value == EAGAIN
                ? "the program cannot be started: the user, or the container, runs as many "
                  "processes as it may (RLIMIT_NPROC, pids.max)"
                : "the program cannot be started: too few open files are allowed "
                  "(RLIMIT_NOFILE)");
    }
    return error("the program cannot be started");
}

void close(asio::posix::stream_descriptor& stream) {
    boost::system::error_code ignored;
    std::ignore = stream.close(ignored);  // the descriptor is closed in any case
}

}  // namespace

ChildState::ChildState(net::OwningLoop owner, std::string program_name, const ChildOptions& limits,
                       ChildEnds ends)
    : loop(std::move(owner)),
      program(std::move(program_name)),
      options(limits),
      input(descriptor(loop, std::move(ends.input))),
      output(descriptor(loop, std::move(ends.output))),
      errors(descriptor(loop, std::move(ends.errors))),
      leash(descriptor(loop, std::move(ends.leash))),
      queue(options.write_queue),
      framer({.max_message_bytes = options.max_line_bytes, .buffers = loop.buffers}),
      log(std::make_shared<SharedTail>(options.stderr_ring_bytes)),
      log_share(loop.buffers),
      work_queued(*loop.timekeeper) {
    log_share.resize(options.stderr_ring_bytes);
}

void ChildState::on_report(const Frame& frame) {
    switch (frame.kind) {
        case FrameKind::started:
            pid = frame.value;
            break;
        case FrameKind::failed:
            start_error = start_error_of(frame);
            break;
        case FrameKind::exited:
            exit = ChildExit{
                .kind = frame.detail == 1 ? ChildExit::Kind::signalled : ChildExit::Kind::exited,
                .code = frame.value};
            break;
        case FrameKind::cleared:
            left_count = frame.value;
            is_cleared = left_count == 0;
            break;
        case FrameKind::adopt:
        case FrameKind::spawn:
        case FrameKind::signal:
            return;
    }
    if (exit || start_error) {
        close_input();
    }
    announce();
}

void ChildState::on_leash_end() {
    // Without an earlier report, the guardian itself has ended and the child was killed with it.
    if (!exit && !start_error) {
        exit = ChildExit{};
    }
    is_cleared = is_cleared || left_count == 0;
    close_input();
    close(leash);
    // A process that escaped may hold the output open; only what is in the pipe is read.
    boost::system::error_code ignored;
    std::ignore = output.cancel(ignored);  // without a waiter there is nothing to wake
    announce();
}

void ChildState::close_input() {
    is_input_closed = true;
    queue.clear();
    close(input);
    work_queued.signal();
}

void ChildState::release() {
    is_released = true;
    close_input();
    close(output);
    close(errors);
    close(leash);
    announce();
}

void ChildState::send_signal(int number) {
    const Frame frame{.kind = FrameKind::signal, .value = number};
    std::array<char, sizeof(frame)> bytes{};
    std::memcpy(bytes.data(), &frame, sizeof(frame));
    if (leash.is_open()) {
        // If the guardian has ended, the child has too; otherwise it reads its leashes.
        [[maybe_unused]] const int error = send_message(leash.native_handle(), bytes, {});
    }
}

void ChildState::announce() {
    for (resilience::OneShot* watcher : watchers) {
        watcher->signal();
    }
}

ChildProgress ChildState::progress() const {
    if (is_cleared || is_released) {
        return ChildProgress::cleared;
    }
    return exit || start_error ? ChildProgress::exited : ChildProgress::running;
}

net::NetError ChildState::closed_error() const {
    if (start_error) {
        return *start_error;
    }
    return {.code = net::NetErrc::closed,
            .message = exit ? "the child has ended" : "the child's stream has ended"};
}

}  // namespace holdfast::process
