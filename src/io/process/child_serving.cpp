#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <exception>
#include <tuple>
#include <utility>

#include "net/expect_no_exception.hpp"
#include "process/child_state.hpp"
#include "process/socket_message.hpp"

namespace holdfast::process {
namespace {

namespace asio = boost::asio;
using State = std::shared_ptr<ChildState>;

// Maximum size of messages that are written together: the capacity of a pipe.
constexpr std::size_t kBatchBytes = std::size_t{64} * 1024;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

// Keeps a watcher in the list while it lives.
class Watch final {
public:
    Watch(State state, resilience::OneShot& watcher)
        : state_(std::move(state)), watcher_(&watcher) {
        state_->watchers.push_back(watcher_);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { std::erase(state_->watchers, watcher_); }

private:
    State state_;
    resilience::OneShot* watcher_;
};

// Returns false at the end of the leash.
bool take_reports(ChildState& state) {
    std::array<char, sizeof(Frame)> buffer{};
    while (state.leash.is_open()) {
        const ReceivedMessage message = receive_message(state.leash.native_handle(), buffer);
        if (message.outcome != ReceiveOutcome::message) {
            return message.outcome == ReceiveOutcome::would_block;
        }
        Frame frame;
        if (read_frame({buffer.data(), message.size_bytes}, frame)) {
            state.on_report(frame);
        }
    }
    return false;
}

asio::awaitable<void> serve_reports(State state) {
    while (take_reports(*state)) {
        const auto [error] =
            co_await state->leash.async_wait(asio::posix::stream_descriptor::wait_read, kAsTuple);
        if (error) {
            break;
        }
    }
    if (!state->is_released) {
        state->on_leash_end();
    }
}

asio::awaitable<void> serve_input(State state) {
    while (!state->is_input_closed) {
        const std::optional<std::string> batch = state->queue.take_batch(kBatchBytes);
        if (!batch) {
            co_await state->work_queued.wait_until(resilience::TimePoint::max());
            continue;
        }
        // Most batches fit into the pipe and are written without waiting.
        boost::system::error_code error;
        const std::size_t written_bytes = state->input.write_some(asio::buffer(*batch), error);
        if (written_bytes < batch->size() && (!error || error == asio::error::would_block)) {
            const auto rest = asio::buffer(*batch) + written_bytes;
            std::tie(error, std::ignore) = co_await asio::async_write(state->input, rest, kAsTuple);
        }
        if (error && !state->is_input_closed) {
            state->close_input();
        }
    }
}

asio::awaitable<void> serve_errors(State state) {
    while (state->errors.is_open()) {
        const auto [wait_error] =
            co_await state->errors.async_wait(asio::posix::stream_descriptor::wait_read, kAsTuple);
        if (wait_error) {
            co_return;
        }
        // The buffer exists only while there is something to read.
        std::array<char, 4096> bytes{};
        boost::system::error_code error;
        const std::size_t size_bytes = state->errors.read_some(asio::buffer(bytes), error);
        state->log->append({bytes.data(), size_bytes});
        if (error && error != asio::error::would_block) {
            co_return;
        }
    }
}

}  // namespace

asio::awaitable<resilience::WakeReason> wait_for_news(State state, resilience::TimePoint until) {
    resilience::OneShot news{*state->loop.timekeeper};
    const Watch watch{state, news};
    co_return co_await news.wait_until(until);
}

void start_serving(const State& state) {
    asio::co_spawn(state->loop.executor, serve_reports(state), net::expect_no_exception);
    asio::co_spawn(state->loop.executor, serve_input(state), net::expect_no_exception);
    asio::co_spawn(state->loop.executor, serve_errors(state), net::expect_no_exception);
}

}  // namespace holdfast::process
