#include "process/child_process.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <tuple>
#include <utility>

#include "net/line_writer.hpp"
#include "process/child_state.hpp"
#include "process/socket_message.hpp"

namespace holdfast::process {
namespace {

namespace asio = boost::asio;
using resilience::Deadline;
using resilience::WakeReason;
using State = std::shared_ptr<ChildState>;

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
/// For the last log lines of a child that has ended to come through its pipe.
constexpr auto kLogWait = std::chrono::milliseconds{20};

net::NetError cancelled_error() {
    return {.code = net::NetErrc::cancelled, .message = "the wait was cancelled"};
}

net::NetError timed_out_error(const char* what) {
    return {.code = net::NetErrc::timed_out, .message = what};
}

struct Pipe {
    platform::UniqueFd read_end;
    platform::UniqueFd write_end;
};

net::NetResult<Pipe> make_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) == -1) {
        return net::system_error(net::NetErrc::system_failure, "no pipe to a child", errno);
    }
    return Pipe{.read_end = platform::UniqueFd{ends[0]}, .write_end = platform::UniqueFd{ends[1]}};
}

// Creates a leash, writes the spawn order into it and passes its far end to the guardian.
net::NetResult<ChildEnds> send_order(const Guardian& guardian, const std::string& order) {
    auto input = make_pipe();
    auto output = make_pipe();
    auto errors = make_pipe();
    int error = 0;
    auto [leash, far_end] = make_message_pair(error);
    if (!input || !output || !errors || error != 0) {
        return net::system_error(net::NetErrc::system_failure,
                                 "no descriptors for a child (RLIMIT_NOFILE)",
                                 error != 0 ? error : EMFILE);
    }
    const std::array<int, kSpawnFdCount> fds{input->read_end.get(), output->write_end.get(),
                                             errors->write_end.get()};
    if (const int refused = send_message(leash.get(), order, fds); refused != 0) {
        return net::system_error(net::NetErrc::system_failure, "the guardian took no order",
                                 refused);
    }
    if (auto adopted = guardian.adopt(std::move(far_end)); !adopted) {
        return adopted.error();
    }
    return ChildEnds{.input = std::move(input->write_end),
                     .output = std::move(output->read_end),
                     .errors = std::move(errors->read_end),
                     .leash = std::move(leash)};
}

enum class ReadOutcome { bytes, would_block, ended };

// Reads available output without waiting. After the child is cleared away no more output arrives.
ReadOutcome read_output(ChildState& state) {
    if (!state.output.is_open()) {
        return ReadOutcome::ended;
    }
    const std::span<char> room = state.framer.prepare(kReadBytes);
    boost::system::error_code error;
    const std::size_t size_bytes =
        state.output.read_some(asio::buffer(room.data(), room.size()), error);
    state.framer.commit(size_bytes);
    if (error == asio::error::would_block) {
        return state.leash.is_open() ? ReadOutcome::would_block : ReadOutcome::ended;
    }
    return error ? ReadOutcome::ended : ReadOutcome::bytes;
}

net::NetResult<std::string_view> line_of(const ChildState& state, const net::LineStep& step) {
    if (const auto* line = std::get_if<net::LineMessage>(&step)) {
        return line->text;
    }
    if (const auto* dropped = std::get_if<net::LineTooLong>(&step)) {
        if (dropped->is_out_of_space) {
            return net::NetError{
                .code = net::NetErrc::overloaded,
                .message = "a line of the child was dropped: the gateway is out of buffer space"};
        }
        return net::NetError{.code = net::NetErrc::message_too_long,
                             .message = "a line of the child exceeded the limit and was dropped"};
    }
    return state.closed_error();
}

asio::awaitable<net::NetResult<ChildExit>> wait_exit_of(State state, Deadline deadline) {
    while (!state->exit && !state->start_error && !state->is_released) {
        switch (co_await wait_for_news(state, deadline.when())) {
            case WakeReason::signalled:
                continue;
            case WakeReason::time:
                co_return timed_out_error("the child is still running");
            case WakeReason::cancelled:
                co_return cancelled_error();
        }
    }
    if (state->exit) {
        co_return *state->exit;
    }
    co_return state->closed_error();
}

std::string words_of(const ChildExit& exit) {
    switch (exit.kind) {
        case ChildExit::Kind::exited:
            return " ended with code " + std::to_string(exit.code);
        case ChildExit::Kind::signalled:
            return " was ended by signal " + std::to_string(exit.code);
        case ChildExit::Kind::lost:
            break;
    }
    return " is gone";
}

// Agents read this text, so it contains nothing that the program wrote, and not its path.
std::string why_ended(const ChildState& state) {
    return "the program" + (state.exit ? words_of(*state.exit) : " closed its output");
}

// The output has ended: reports why, once that is known or the wait for it has timed out.
asio::awaitable<net::NetError> explained_end(State state) {
    if (state->end_error || state->start_error || state->is_released) {
        co_return state->end_error.value_or(state->closed_error());
    }
    const auto now = [&] { return state->loop.timekeeper->now(); };
    const auto exit =
        co_await wait_exit_of(state, Deadline::after(now(), state->options.exit_wait));
    if (!exit && exit.error().code == net::NetErrc::cancelled) {
        co_return exit.error();
    }
    if (!state->is_released) {
        resilience::OneShot nothing{*state->loop.timekeeper};
        co_await nothing.wait_until(resilience::saturating_add(now(), kLogWait));
    }
    if (state->is_released) {
        co_return state->closed_error();
    }
    state->end_error = {.code = net::NetErrc::closed, .message = why_ended(*state)};
    co_return *state->end_error;
}

asio::awaitable<net::NetResult<std::string_view>> read_line_of(State state) {
    while (true) {
        // The line would be a view into a state that ends with this coroutine.
        if (state->is_released) {
            co_return state->closed_error();
        }
        if (state->read_turn.may_take_line()) {
            const net::LineStep step = state->framer.next();
            if (!std::holds_alternative<net::NeedBytes>(step)) {
                state->read_turn.on_line();
                co_return line_of(*state, step);
            }
            const ReadOutcome outcome =
                state->read_turn.may_read() ? read_output(*state) : ReadOutcome::would_block;
            if (outcome == ReadOutcome::ended) {
                const net::LineStep last = state->framer.finish();
                if (!std::holds_alternative<net::NeedBytes>(last)) {
                    co_return line_of(*state, last);
                }
                co_return co_await explained_end(state);
            }
            if (outcome == ReadOutcome::bytes) {
                state->read_turn.on_read();
                continue;
            }
        }
        // After the child is cleared away nothing would end the wait if a process that escaped
        // holds the other end.
        const bool is_dry = state->read_turn.may_take_line() && state->leash.is_open();
        if (is_dry) {
            std::ignore = co_await state->output.async_wait(
                asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
        } else {
            co_await asio::post(state->loop.executor, asio::use_awaitable);
        }
        state->read_turn.renew();
        // A cleared child also wakes this wait; reading again shows which it was.
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none) {
            co_return cancelled_error();
        }
    }
}

asio::awaitable<net::NetResult<pid_t>> wait_started_of(State state, Deadline deadline) {
    while (!state->pid && !state->start_error && !state->exit && !state->is_released) {
        switch (co_await wait_for_news(state, deadline.when())) {
            case WakeReason::signalled:
                continue;
            case WakeReason::time:
                co_return timed_out_error("the program did not start in time");
            case WakeReason::cancelled:
                co_return cancelled_error();
        }
    }
    if (state->pid) {
        co_return *state->pid;
    }
    co_return state->closed_error();
}

void perform(ChildState& state, StopAction action) {
    if (action == StopAction::close_input) {
        state.close_input();
    } else if (action == StopAction::terminate) {
        state.send_signal(SIGTERM);
    } else if (action == StopAction::kill) {
        state.send_signal(SIGKILL);
    }
}

asio::awaitable<net::NetResult<void>> stop_of(State state, StopOptions options) {
    StopSequence ladder{options};
    while (true) {
        const StopStep step = ladder.next(state->loop.timekeeper->now(), state->progress());
        if (step.action == StopAction::finished) {
            co_return net::NetResult<void>{};
        }
        if (step.action == StopAction::given_up) {
            co_return timed_out_error("a process of the child survived SIGKILL");
        }
        perform(*state, step.action);
        if (step.action == StopAction::wait &&
            co_await wait_for_news(state, step.until) == WakeReason::cancelled) {
            co_return cancelled_error();
        }
    }
}

asio::awaitable<void> close_of(State state) {
    // The guardian keeps trying to end a process that survives SIGKILL.
    std::ignore = co_await stop_of(state, state->options.stop);
}

}  // namespace

net::NetResult<std::unique_ptr<ChildProcess>> ChildProcess::launch(net::OwningLoop loop,
                                                                   const Guardian& guardian,
                                                                   const ChildSpec& spec,
                                                                   const ChildOptions& options) {
    auto order = encode_spawn(spec, guardian.child_descriptors());
    if (!order) {
        return std::move(order).error();
    }
    auto ends = send_order(guardian, *order);
    if (!ends) {
        return std::move(ends).error();
    }
    auto state = std::make_shared<ChildState>(std::move(loop), program_text(spec), options,
                                              std::move(*ends));
    start_serving(state);
    return std::unique_ptr<ChildProcess>{new ChildProcess(std::move(state))};
}

ChildProcess::ChildProcess(State state) : state_(std::move(state)) {}

ChildProcess::~ChildProcess() {
    state_->release();
}

asio::awaitable<net::NetResult<pid_t>> ChildProcess::wait_started(Deadline deadline) {
    return wait_started_of(state_, deadline);
}

asio::awaitable<net::NetResult<std::string_view>> ChildProcess::read() {
    return read_line_of(state_);
}

asio::awaitable<net::NetResult<ChildExit>> ChildProcess::wait_exit(Deadline deadline) {
    return wait_exit_of(state_, deadline);
}

asio::awaitable<net::NetResult<void>> ChildProcess::stop(StopOptions options) {
    return stop_of(state_, options);
}

asio::awaitable<void> ChildProcess::close() {
    return close_of(state_);
}

net::NetResult<void> ChildProcess::try_write(std::string_view json) {
    std::string line;
    if (state_->is_input_closed) {
        return state_->closed_error();
    }
    if (auto made = net::append_line(line, json); !made) {
        return made;
    }
    auto pushed = state_->queue.try_push(std::move(line));
    state_->work_queued.signal();
    return pushed;
}

net::NetResult<void> ChildProcess::try_write_urgent(std::string_view json) {
    std::string line;
    if (state_->is_input_closed) {
        return state_->closed_error();
    }
    if (auto made = net::append_line(line, json); !made) {
        return made;
    }
    auto pushed = state_->queue.try_push_urgent(std::move(line));
    state_->work_queued.signal();
    return pushed;
}

bool ChildProcess::has_unread_input() const {
    int waiting = 0;
    const bool is_open = state_->input.is_open();
    return is_open && ::ioctl(state_->input.native_handle(), FIONREAD, &waiting) == 0 &&
           waiting > 0;
}

std::optional<ChildExit> ChildProcess::exit() const {
    return state_->exit;
}

std::vector<std::string> ChildProcess::last_log_lines(std::size_t count) const {
    return state_->log->last_lines(count);
}

std::shared_ptr<const SharedTail> ChildProcess::log() const {
    return state_->log;
}

std::optional<pid_t> ChildProcess::pid() const {
    return state_->pid;
}

}  // namespace holdfast::process
