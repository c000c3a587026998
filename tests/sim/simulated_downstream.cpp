#include "sim/simulated_downstream.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/expect.hpp"
#include "sim/downstream_process.hpp"
#include "support/memory_channel.hpp"

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;
using net::NetErrc;
using net::NetError;

constexpr std::size_t kQueuedMessages = 1'024;

void expect_no_exception(const std::exception_ptr& error) {
    HOLDFAST_EXPECT(error == nullptr);
}

json::object entry_of(std::string_view member, const std::string& server, std::size_t index) {
    const std::string number = std::to_string(index);
    if (member == "resources") {
        return {{"uri", "sim://" + server + "/" + number}, {"name", "r" + number}};
    }
    if (member == "resourceTemplates") {
        return {{"uriTemplate", "sim://" + server + "/t" + number + "/{x}"},
                {"name", "t" + number}};
    }
    json::object entry{{"name", "item" + number}, {"description", "An item."}};
    if (member == "tools") {
        entry["inputSchema"] = json::object{{"type", "object"}};
        if (index % 2 == 0) {
            entry["annotations"] = json::object{{"readOnlyHint", true}};
        }
    }
    return entry;
}

}  // namespace

SimulatedDownstream::SimulatedDownstream(DownstreamTraits traits, Surroundings& world, Dice dice)
    : traits_(std::move(traits)), world_(world), dice_(std::move(dice)) {}

downstream::ChannelSource SimulatedDownstream::source() {
    return [weak = weak_from_this()](net::OwningLoop home, resilience::Deadline deadline) {
        return connect(weak.lock(), std::move(home), deadline);
    };
}

boost::asio::awaitable<SimulatedDownstream::Connected> SimulatedDownstream::connect(
    std::shared_ptr<SimulatedDownstream> self, net::OwningLoop home,
    resilience::Deadline deadline) {
    const bool takes_forever = self->dice_.chance(self->traits_.refuses / 4);
    const Duration delay = takes_forever ? Duration{1h} : self->dice_.between(1ms, 300ms);
    resilience::OneShot waiting{*home.timekeeper};
    const auto reason =
        co_await waiting.wait_until(std::min(home.timekeeper->now() + delay, deadline.when()));
    if (reason == resilience::WakeReason::cancelled) {
        co_return NetError{.code = NetErrc::cancelled, .message = "cancelled"};
    }
    if (deadline.is_expired(home.timekeeper->now())) {
        co_return NetError{.code = NetErrc::timed_out, .message = "no connection in time"};
    }
    if (self->dice_.chance(self->traits_.refuses)) {
        self->world_.trace.note(self->traits_.name, "refuses", "");
        co_return NetError{.code = NetErrc::start_failed, .message = "it does not start"};
    }
    co_return self->started(home);
}

std::unique_ptr<net::MessageChannel> SimulatedDownstream::started(const net::OwningLoop& home) {
    auto channels = test::make_memory_channels(home, kQueuedMessages);
    const auto process =
        std::make_shared<DownstreamProcess>(shared_from_this(), std::move(channels.far));
    std::erase_if(processes_, [](const auto& other) { return other.expired(); });
    processes_.push_back(process);
    boost::asio::co_spawn(home.executor, DownstreamProcess::run(process), expect_no_exception);
    process->await_fate();
    return std::move(channels.near);
}

void SimulatedDownstream::begin() {
    world_.loop.after(dice_.between(500ms, 15s), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && !self->is_calm_) {
            self->storm();
            self->begin();
        }
    });
}

void SimulatedDownstream::storm() {
    generation_ += dice_.chance(0.6) ? 1 : 0;
    const std::size_t repeats = dice_.between(std::size_t{1}, std::size_t{8});
    for (const auto& weak : processes_) {
        const auto process = weak.lock();
        for (std::size_t count = 0; process && count < repeats; ++count) {
            process->announce();
        }
    }
}

json::array SimulatedDownstream::list(std::string_view member) const {
    json::array entries;
    const std::size_t count = 2 + generation_ % 4;
    for (std::size_t index = 0; index < count; ++index) {
        entries.emplace_back(entry_of(member, traits_.name, index));
    }
    return entries;
}

}  // namespace holdfast::sim
