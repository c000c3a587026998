// The descriptors are blocking, and another process may depend on that. So nothing that could block
// is read or written: poll() reports that there is something to read, or space for what a pipe
// accepts as a whole.
#include "net/stdio_channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <climits>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/expect.hpp"
#include "net/expect_no_exception.hpp"
#include "net/line_framer.hpp"
#include "net/line_writer.hpp"
#include "net/reactor/readiness_watch.hpp"
#include "net/read_budget.hpp"
#include "net/write_queue.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using resilience::TimePoint;
using resilience::WakeReason;

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
// Bytes written before yielding to the loop.
constexpr std::size_t kBurstBytes = std::size_t{64} * 1024;

// One direction.
struct StdioEnd {
    StdioEnd(const OwningLoop& loop, platform::UniqueFd owned)
        : fd(std::move(owned)), watch(loop.executor) {}

    void close() {
        fd.reset();
        watch.close();
    }
    [[nodiscard]] bool is_open() const { return fd.is_open(); }

    platform::UniqueFd fd;
    ReadinessWatch watch;
};

struct StdioState {
    StdioState(const OwningLoop& owner, const StdioChannelOptions& options, platform::UniqueFd in,
               platform::UniqueFd out)
        : loop(owner),
          input(owner, std::move(in)),
          output(owner, std::move(out)),
          queue(options.write_queue),
          framer({.max_message_bytes = options.max_message_bytes, .buffers = owner.buffers}),
          work_queued(*owner.timekeeper),
          drained(*owner.timekeeper),
          room_made(*owner.timekeeper),
          close_wait(options.close_wait) {}

    void end_output() {
        queue.clear();
        output.close();
        work_queued.signal();
        drained.signal();
        room_made.signal();
    }
    [[nodiscard]] Unwritten unwritten() const {
        if (!output.is_open()) {
            return {};
        }
        return {.messages = queue.message_count() + (is_writing ? 1 : 0),
                .size_bytes = queue.size_bytes() + current_bytes};
    }

    OwningLoop loop;
    StdioEnd input;
    StdioEnd output;
    WriteQueue queue;
    LineFramer framer;
    ReadTurn read_turn;
    resilience::OneShot work_queued;
    resilience::OneShot drained;
    resilience::OneShot room_made;
    const resilience::Duration close_wait;
    bool is_closing = false;        // queued messages are still written
    bool is_writing = false;        // a message that is no longer in the queue
    std::size_t current_bytes = 0;  // of that message
};

using State = std::shared_ptr<StdioState>;

NetError closed_error(const char* what) {
    return {.code = NetErrc::closed, .message = what};
}

bool is_ready(const StdioEnd& end, short event) {
    pollfd entry{.fd = end.fd.get(), .events = event, .revents = 0};
    return ::poll(&entry, 1, 0) != 0;
}

enum class ReadOutcome { bytes, not_ready, ended };

ReadOutcome read_some(StdioState& state) {
    if (!state.input.is_open()) {
        return ReadOutcome::ended;
    }
    if (!is_ready(state.input, POLLIN)) {
        return ReadOutcome::not_ready;
    }
    const std::span<char> buffer = state.framer.prepare(kReadBytes);
    const ssize_t count = ::read(state.input.fd.get(), buffer.data(), buffer.size());
    if (count > 0) {
        state.framer.commit(static_cast<std::size_t>(count));
        return ReadOutcome::bytes;
    }
    const bool is_passing = count == -1 && (errno == EINTR || errno == EAGAIN);
    return is_passing ? ReadOutcome::not_ready : ReadOutcome::ended;
}

NetResult<std::string_view> message_of(const LineStep& step) {
    if (const auto* line = std::get_if<LineMessage>(&step)) {
        return line->text;
    }
    if (const auto* dropped = std::get_if<LineTooLong>(&step)) {
        if (dropped->is_out_of_space) {
            return NetError{.code = NetErrc::overloaded,
                            .message = "a line was dropped: the gateway is out of buffer space"};
        }
        return NetError{.code = NetErrc::message_too_long,
                        .message = "a line exceeded the limit and was dropped"};
    }
    return closed_error("the input has ended");
}

// Waits until the descriptor may be ready; creates the watch when first needed.
asio::awaitable<void> wait_ready(State state, StdioEnd* end, std::uint32_t events) {
    if (!end->watch.is_open() && end->watch.open(end->fd.get(), events) != 0) {
        end->close();  // it cannot be waited for
        co_return;
    }
    co_await end->watch.wait();
}

asio::awaitable<NetResult<std::string_view>> read_of(State state) {
    while (!state->is_closing) {
        if (state->read_turn.may_take_line()) {
            const LineStep step = state->framer.next();
            if (!std::holds_alternative<NeedBytes>(step)) {
                state->read_turn.on_line();
                co_return message_of(step);
            }
            const ReadOutcome outcome =
                state->read_turn.may_read() ? read_some(*state) : ReadOutcome::not_ready;
            if (outcome == ReadOutcome::ended) {
                state->input.close();
                co_return message_of(state->framer.finish());
            }
            if (outcome == ReadOutcome::bytes) {
                state->read_turn.on_read();
                continue;
            }
            co_await wait_ready(state, &state->input, EPOLLIN);
        } else {
            co_await asio::post(state->loop.executor, asio::use_awaitable);
        }
        state->read_turn.renew();
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none) {
            co_return NetError{.code = NetErrc::cancelled, .message = "the wait was cancelled"};
        }
    }
    co_return closed_error("the channel is closed");
}

// Writes what can be written now and removes it from `bytes`; false if the reader has gone.
bool write_some(StdioState& state, std::string_view& bytes) {
    std::size_t burst = 0;
    while (!bytes.empty() && burst < kBurstBytes && is_ready(state.output, POLLOUT)) {
        const std::size_t size_bytes = std::min<std::size_t>(bytes.size(), PIPE_BUF);
        const ssize_t count = ::write(state.output.fd.get(), bytes.data(), size_bytes);
        if (count == -1 && (errno == EINTR || errno == EAGAIN)) {
            break;
        }
        if (count < 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(count));
        burst += static_cast<std::size_t>(count);
    }
    return true;
}

asio::awaitable<void> serve_output(State state) {
    while (state->output.is_open()) {
        const std::optional<std::string> message = state->queue.take();
        state->is_writing = message.has_value();
        state->current_bytes = message ? message->size() : 0;
        state->room_made.signal();
        if (!message) {
            state->drained.signal();
            co_await state->work_queued.wait_until(TimePoint::max());
            continue;
        }
        std::string_view rest = *message;
        while (state->output.is_open() && !rest.empty()) {
            if (!write_some(*state, rest)) {
                state->end_output();
            } else if (!rest.empty()) {
                co_await wait_ready(state, &state->output, EPOLLOUT);
            }
        }
    }
}

asio::awaitable<void> room_of(State state, Unwritten limit) {
    while (!state->is_closing && state->input.is_open() && !state->unwritten().is_within(limit) &&
           co_await state->room_made.wait_until(TimePoint::max()) == WakeReason::signalled) {
    }
}

asio::awaitable<void> close_of(State state) {
    state->is_closing = true;
    state->input.close();
    const TimePoint end =
        resilience::saturating_add(state->loop.timekeeper->now(), state->close_wait);
    while (state->output.is_open() && (state->is_writing || !state->queue.is_empty()) &&
           co_await state->drained.wait_until(end) == WakeReason::signalled) {
    }
    state->end_output();
}

class StdioChannel final : public MessageChannel {
public:
    explicit StdioChannel(State state) : state_(std::move(state)) {
        asio::co_spawn(state_->loop.executor, serve_output(state_), expect_no_exception);
    }
    // NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
    ~StdioChannel() override {
        state_->is_closing = true;
        state_->input.close();
        state_->end_output();
    }

    NetResult<void> try_write(std::string_view json) override {
        return push(json, &WriteQueue::try_push);
    }
    NetResult<void> try_write_urgent(std::string_view json) override {
        return push(json, &WriteQueue::try_push_urgent);
    }
    asio::awaitable<NetResult<std::string_view>> read() override { return read_of(state_); }
    Unwritten unwritten() const override { return state_->unwritten(); }
    asio::awaitable<void> wait_for_room(Unwritten limit) override { return room_of(state_, limit); }
    void stop_reading() override {
        state_->input.close();
        state_->room_made.signal();
    }
    void give_up(std::string_view /*words*/) override {
        state_->is_closing = true;
        state_->queue.clear();
        state_->input.close();
        state_->room_made.signal();
    }
    asio::awaitable<void> close() override { return close_of(state_); }

private:
    NetResult<void> push(std::string_view json, NetResult<void> (WriteQueue::*lane)(std::string)) {
        if (state_->is_closing || !state_->output.is_open()) {
            return closed_error("the output has ended");
        }
        std::string line;
        if (auto made = append_line(line, json); !made) {
            return made;
        }
        auto pushed = (state_->queue.*lane)(std::move(line));
        state_->work_queued.signal();
        return pushed;
    }

    // Shared with the coroutines that serve the descriptors, which may outlive this object.
    const State state_;
};

NetResult<platform::UniqueFd> duplicate(int fd, const char* what) {
    platform::UniqueFd copy{::fcntl(fd, F_DUPFD_CLOEXEC, 0)};
    if (!copy.is_open()) {
        return system_error(NetErrc::system_failure, what, errno);
    }
    return copy;
}

}  // namespace

NetResult<std::unique_ptr<MessageChannel>> make_stdio_channel(const OwningLoop& loop,
                                                              const StdioChannelOptions& options) {
    auto input = duplicate(options.input_fd, "the input is not open");
    if (!input) {
        return std::move(input).error();
    }
    auto output = duplicate(options.output_fd, "the output is not open");
    if (!output) {
        return std::move(output).error();
    }
    return std::unique_ptr<MessageChannel>{std::make_unique<StdioChannel>(
        std::make_shared<StdioState>(loop, options, std::move(*input), std::move(*output)))};
}

}  // namespace holdfast::net
