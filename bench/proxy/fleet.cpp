#include "proxy/fleet.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include "proxy/child.hpp"

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kAnswerWait = 20s;
constexpr auto kPause = 20ms;
constexpr std::size_t kMaxEvents = 64;

}  // namespace

Fleet::Fleet(std::string name, const Target& target, std::size_t connections)
    : Fleet(std::move(name), std::vector<Target>{target}, connections) {}

Fleet::Fleet(std::string name, const std::vector<Target>& targets, std::size_t connections)
    : name_(std::move(name)) {
    agents_.reserve(connections);
    for (std::size_t index = 0; index < connections; ++index) {
        agents_.push_back(std::make_unique<HttpAgent>(name_, targets[index % targets.size()]));
    }
}

void Fleet::connect() {
    for (const auto& agent : agents_) {
        agent->connect();
    }
}

LoadResult Fleet::run(std::chrono::nanoseconds duration) {
    const Clock::time_point begin = Clock::now();
    std::vector<std::chrono::nanoseconds> latencies =
        call_while([end = begin + duration](std::size_t) { return Clock::now() < end; });
    LoadResult result{.requests = latencies.size(), .time = Clock::now() - begin};
    const auto at = [&latencies](double share) {
        const auto place =
            latencies.begin() +
            static_cast<std::ptrdiff_t>(static_cast<double>(latencies.size() - 1) * share);
        std::ranges::nth_element(latencies, place);
        return *place;
    };
    result.median = at(0.5);
    result.p99 = at(0.99);
    return result;
}

void Fleet::wait_until_served() {
    HttpAgent& agent = *agents_.front();
    agent.connect();
    const Clock::time_point end = Clock::now() + kAnswerWait;
    while (!agent.try_once()) {
        if (Clock::now() > end) {
            fail(name_ + ": the tool is missing:\n" + agent.answer());
        }
        std::this_thread::sleep_for(kPause);
    }
}

void Fleet::call_in_turn() {
    for (const auto& agent : agents_) {
        agent->connect();
        agent->ask();
        while (!agent->receive()) {
        }
    }
}

void Fleet::call(std::size_t count) {
    std::ignore = call_while([count](std::size_t asked) { return asked < count; });
}

std::vector<std::chrono::nanoseconds> Fleet::call_while(
    const std::function<bool(std::size_t asked)>& goes_on) {
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    for (const auto& agent : agents_) {
        epoll_event event{.events = EPOLLIN, .data = {.ptr = agent.get()}};
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, agent->socket(), &event);
        agent->ask();
    }
    std::vector<std::chrono::nanoseconds> latencies;
    std::size_t asking = agents_.size();
    std::size_t asked = agents_.size();
    std::array<epoll_event, kMaxEvents> events{};
    while (asking > 0) {
        const int count = ::epoll_wait(epoll, events.data(), kMaxEvents,
                                       std::chrono::milliseconds{kAnswerWait}.count());
        if (count <= 0) {
            fail(name_ + ": no answer in time");
        }
        for (const epoll_event& event : std::span{events}.first(static_cast<std::size_t>(count))) {
            auto* agent = static_cast<HttpAgent*>(event.data.ptr);
            if (!agent->receive()) {
                continue;
            }
            latencies.push_back(Clock::now() - agent->asked_at());
            if (goes_on(asked)) {
                ++asked;
                agent->ask();
            } else {
                --asking;
            }
        }
    }
    ::close(epoll);
    return latencies;
}

}  // namespace holdfast::bench
