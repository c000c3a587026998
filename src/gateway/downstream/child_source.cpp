#include "downstream/child_source.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "base/text_cut.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "process/child_channel.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using resilience::Deadline;
using Channel = std::unique_ptr<net::MessageChannel>;

constexpr std::size_t kShownLogLines = 10;
constexpr std::size_t kMaxShownBytes = 500;
/// Time for the last output of a child that has ended to arrive through its pipe.
constexpr auto kLogWait = std::chrono::milliseconds{20};

struct Setup {
    const process::Guardian* guardian = nullptr;
    ChildSourceOptions options = {};

    [[nodiscard]] std::string program() const {
        const auto& arguments = options.spec.arguments;
        return arguments.empty() ? "the program" : "the program \"" + arguments.front() + "\"";
    }
};

std::string words_of(const process::ChildExit& exit) {
    switch (exit.kind) {
        case process::ChildExit::Kind::exited:
            return " exited with code " + std::to_string(exit.code);
        case process::ChildExit::Kind::signalled:
            return " was ended by signal " + std::to_string(exit.code);
        case process::ChildExit::Kind::lost:
            break;
    }
    return " is gone";
}

/// Keeps the end of the log, which matters most, and cuts the beginning.
std::string log_excerpt(const process::ChildProcess& child, std::size_t max_bytes) {
    std::string excerpt;
    for (const std::string& line : child.last_log_lines(kShownLogLines)) {
        excerpt.append(excerpt.empty() ? "" : " | ").append(line);
    }
    return std::string{base::end_of(excerpt, max_bytes)};
}

/// A child as a channel that explains why it ended.
class ExplainingChannel final : public LoggedChannel {
public:
    ExplainingChannel(net::OwningLoop loop, const std::shared_ptr<const Setup>& setup,
                      std::unique_ptr<process::ChildProcess> child)
        : state_(std::make_shared<State>(State{.loop = std::move(loop),
                                               .setup = setup,
                                               .channel = std::make_unique<process::ChildChannel>(
                                                   std::move(child), setup->options.stop)})) {}
    ~ExplainingChannel() override {
        // Moved out first, so that a read woken by this sees the end.
        const auto channel = std::move(state_->channel);
    }

    [[nodiscard]] net::NetResult<void> try_write(std::string_view json) override {
        return state_->channel->try_write(json);
    }
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json) override {
        return state_->channel->try_write_urgent(json);
    }
    [[nodiscard]] asio::awaitable<net::NetResult<std::string_view>> read() override {
        return read_from(state_);
    }
    [[nodiscard]] asio::awaitable<void> close() override { return state_->channel->close(); }
    [[nodiscard]] std::optional<LinkProcess> process() const override {
        const process::ChildProcess& child = state_->channel->child();
        const auto pid = child.pid();
        return pid ? std::optional{LinkProcess{.pid = *pid, .log = child.log()}} : std::nullopt;
    }
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const override {
        return state_->channel->child().last_log_lines(count);
    }

private:
    struct State {
        net::OwningLoop loop = {};
        std::shared_ptr<const Setup> setup = {};
        std::unique_ptr<process::ChildChannel> channel = {};  // null after the end
    };

    static asio::awaitable<net::NetResult<std::string_view>> read_from(
        std::shared_ptr<State> state) {
        auto line = co_await state->channel->read();
        const bool has_ended = !line && line.error().code == net::NetErrc::closed;
        if (!has_ended || !state->channel) {
            co_return line;
        }
        const auto deadline =
            Deadline::after(state->loop.timekeeper->now(), state->setup->options.exit_wait);
        const auto exit = co_await state->channel->child().wait_exit(deadline);
        if (!state->channel) {
            co_return line;
        }
        resilience::OneShot nothing{*state->loop.timekeeper};
        co_await nothing.wait_until(
            resilience::saturating_add(state->loop.timekeeper->now(), kLogWait));
        if (!state->channel) {
            co_return line;
        }
        co_return net::NetError{.code = net::NetErrc::closed, .message = why_ended(*state, exit)};
    }

    static std::string why_ended(const State& state,
                                 const net::NetResult<process::ChildExit>& exit) {
        std::string text = state.setup->program();
        text.append(exit ? words_of(*exit) : " closed its output");
        constexpr std::string_view kIntroduction = "; its last log lines: ";
        const std::size_t used = text.size() + kIntroduction.size();
        const std::string log =
            used < kMaxShownBytes ? log_excerpt(state.channel->child(), kMaxShownBytes - used) : "";
        return log.empty() ? text : text.append(kIntroduction).append(log);
    }

    const std::shared_ptr<State> state_;
};

asio::awaitable<net::NetResult<Channel>> launch(std::shared_ptr<const Setup> setup,
                                                net::OwningLoop loop, Deadline deadline) {
    auto child = process::ChildProcess::launch(loop, *setup->guardian, setup->options.spec,
                                               setup->options.child);
    if (!child) {
        co_return child.error();
    }
    const auto started = co_await (*child)->wait_started(deadline);
    if (!started) {
        net::NetError error = started.error();
        error.message = setup->program() + " could not be started: " + error.message;
        co_return error;
    }
    co_return Channel{
        std::make_unique<ExplainingChannel>(std::move(loop), setup, std::move(*child))};
}

}  // namespace

ChannelSource make_child_source(const process::Guardian& guardian, ChildSourceOptions options) {
    auto setup =
        std::make_shared<const Setup>(Setup{.guardian = &guardian, .options = std::move(options)});
    return [setup = std::move(setup)](net::OwningLoop loop, Deadline deadline) {
        return launch(setup, std::move(loop), deadline);
    };
}

}  // namespace holdfast::downstream
