#include "process/guardian_ward.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "process/socket_message.hpp"

namespace holdfast::process {
namespace {

// At one try every 10 ms this is about five seconds: a process that survives SIGKILL for so long is
// stuck in the kernel. It is searched again when the gateway ends.
constexpr int kMaxSweeps = 500;

bool is_sendable(int number) {
    return number == SIGTERM || number == SIGINT || number == SIGKILL;
}

}  // namespace

Ward::Ward(platform::UniqueFd leash, std::uint32_t serial, const OomScore& oom_score)
    : oom_score_(oom_score), leash_(std::move(leash)) {
    std::snprintf(mark_.data(), mark_.size(), "HOLDFAST_CHILD=%d.%u", static_cast<int>(::getpid()),
                  static_cast<unsigned>(serial));
}

void Ward::on_leash(std::span<char> buffer) {
    ReceivedMessage message = receive_message(leash_.get(), buffer);
    if (message.outcome == ReceiveOutcome::would_block) {
        return;
    }
    if (message.outcome == ReceiveOutcome::closed) {
        release();
        return;
    }
    Frame frame;
    if (!read_frame(buffer.first(message.size_bytes), frame)) {
        if (state_ == State::waiting) {
            refuse(EPROTO);
        }
        return;
    }
    if (frame.kind == FrameKind::spawn && state_ == State::waiting) {
        start(buffer.first(message.size_bytes), {message.fds.data(), message.fd_count});
    } else if (frame.kind == FrameKind::signal && pid_ > 0 && is_sendable(frame.value)) {
        ::kill(-pid_, frame.value);
    }
}

void Ward::start(std::span<char> message, std::span<platform::UniqueFd> fds) {
    SpawnOrder order;
    if (fds.size() != kSpawnFdCount || !read_spawn(message, mark_.data(), order)) {
        refuse(EPROTO);
        return;
    }
    SpawnedChild child = spawn_child(order, {fds[0].get(), fds[1].get(), fds[2].get()}, oom_score_);
    if (child.pid == -1) {
        fail(child.failure);
        state_ = State::over;
        return;
    }
    pid_ = child.pid;
    outcome_ = std::move(child.outcome);
    state_ = State::starting;
}

void Ward::on_outcome() {
    if (state_ != State::starting) {
        return;
    }
    SpawnFailure failure;
    switch (read_spawn_outcome(outcome_.get(), failure)) {
        case SpawnProgress::pending:
            return;
        case SpawnProgress::failed:
            // Its process is about to exit; the report has the reason, not the exit.
            fail(failure);
            leash_.reset();
            break;
        case SpawnProgress::running:
            report({.kind = FrameKind::started, .value = pid_});
            break;
    }
    outcome_.reset();
    state_ = State::running;
}

void Ward::on_death(ChildExit exit) {
    on_outcome();
    report({.kind = FrameKind::exited,
            .value = exit.code,
            .detail = exit.kind == ChildExit::Kind::signalled ? 1 : 0});
    // Not reaped yet, so the group id is still its own.
    ::kill(-pid_, SIGKILL);
    outcome_.reset();
    tries_ = 0;
    state_ = State::sweeping;
}

bool Ward::is_sweeping() const noexcept {
    const bool is_ending = is_released_ && state_ != State::over && tries_ < kMaxSweeps;
    return state_ == State::sweeping || is_ending;
}

void Ward::sweep(ProcessTable& table) {
    std::int32_t left = 0;
    for (const ProcessEntry& process : table.entries()) {
        if (process.is_dead) {
            // Its origin is no longer known; it is reaped before the next try.
            left += process.parent == ::getpid() ? 1 : 0;
        } else if (is_mine(table, process)) {
            ::kill(process.pid, SIGKILL);
            ++left;
        } else if (process.pid != pid_ && table.kinship(process, ::getpid()) != Kinship::foreign &&
                   is_leaving(process.pid)) {
            // Killed by the previous try; its environment disappears before it is dead.
            ++left;
        }
    }
    ++tries_;
    if (state_ == State::sweeping && (left == 0 || tries_ >= kMaxSweeps)) {
        report({.kind = FrameKind::cleared, .value = left});
        leash_.reset();
        state_ = State::over;
    }
}

void Ward::kill_group() const {
    if (pid_ > 0 && (state_ == State::starting || state_ == State::running)) {
        // A child that has just been forked may not lead its group yet.
        ::kill(pid_, SIGKILL);
        ::kill(-pid_, SIGKILL);
    }
}

void Ward::refuse(int error) {
    fail({.stage = SpawnStage::accepting, .error = error});
    state_ = State::over;
}

void Ward::release() {
    leash_.reset();
    is_released_ = true;
    if (state_ == State::waiting) {
        state_ = State::over;
    }
    kill_group();
}

void Ward::fail(SpawnFailure failure) {
    report({.kind = FrameKind::failed,
            .value = failure.error,
            .detail = static_cast<std::int32_t>(failure.stage)});
}

void Ward::report(const Frame& frame) {
    if (leash_.is_open()) {
        std::array<char, sizeof(Frame)> bytes{};
        std::memcpy(bytes.data(), &frame, sizeof(Frame));
        // If the owner is gone it needs no report; otherwise the socket has space for these few.
        [[maybe_unused]] const int error = send_message(leash_.get(), bytes, {});
    }
}

bool Ward::is_mine(ProcessTable& table, const ProcessEntry& process) const {
    if (process.pid == pid_) {
        return state_ != State::sweeping;
    }
    // Outside our descendants, equal ids and texts are a coincidence.
    if (table.kinship(process, ::getpid()) == Kinship::foreign) {
        return false;
    }
    return process.session == pid_ || table.child_mark(process) == mark_.data();
}

}  // namespace holdfast::process
