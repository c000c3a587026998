#include "isolation/paced_callers.hpp"

#include <poll.h>

#include <limits>
#include <string_view>

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kLongestPause = 5ms;
constexpr auto kHeadStart = 50ms;

std::string ending_in(const std::string& answer) {
    constexpr std::string_view kCode = R"("dev.holdfast/failure":{"code":")";
    const std::size_t found = answer.find(kCode);
    if (found == std::string::npos) {
        return {};
    }
    const std::size_t begin = found + kCode.size();
    return answer.substr(begin, answer.find('"', begin) - begin);
}

}  // namespace

PacedCallers::PacedCallers(const Target& target, const Pace& pace) : interval_(pace.interval) {
    callers_.resize(pace.callers);
    for (Caller& caller : callers_) {
        caller.agent = std::make_unique<HttpAgent>("a paced caller", target);
    }
}

Endings PacedCallers::run(std::size_t calls, const std::stop_token& stop) {
    // Spread over the first interval, so that they do not arrive together.
    Clock::time_point due = Clock::now();
    for (Caller& caller : callers_) {
        caller.agent->connect();
        caller.due = due;
        due += std::chrono::nanoseconds{interval_} / callers_.size();
    }
    Endings endings;
    std::size_t asked = 0;
    std::size_t answered = 0;
    while (answered < asked || (asked < calls && !stop.stop_requested())) {
        for (Caller& caller : callers_) {
            const Clock::time_point now = Clock::now();
            if (!caller.is_asking && caller.due <= now && asked < calls && !stop.stop_requested()) {
                caller.due = now + interval_;
                caller.is_asking = true;
                caller.agent->ask();
                ++asked;
            }
        }
        answered += take_answers(kLongestPause, endings);
    }
    return endings;
}

std::size_t PacedCallers::take_answers(std::chrono::milliseconds wait, Endings& endings) {
    std::vector<pollfd> sockets;
    sockets.reserve(callers_.size());
    for (const Caller& caller : callers_) {
        const short wanted = caller.is_asking ? POLLIN : 0;
        sockets.push_back({.fd = caller.agent->socket(), .events = wanted, .revents = 0});
    }
    ::poll(sockets.data(), sockets.size(), static_cast<int>(wait.count()));
    std::size_t answered = 0;
    for (std::size_t index = 0; index < sockets.size(); ++index) {
        Caller& caller = callers_[index];
        if ((sockets[index].revents & POLLIN) != 0 && caller.agent->receive_any()) {
            ++endings[ending_in(caller.agent->answer())];
            caller.is_asking = false;
            ++answered;
        }
    }
    return answered;
}

void PacedCompany::begin() {
    thread_ = std::jthread{[this](const std::stop_token& stop) {
        for (const auto& [ending, count] :
             callers_.run(std::numeric_limits<std::size_t>::max(), stop)) {
            endings_[ending] += count;
        }
    }};
    std::this_thread::sleep_for(kHeadStart);  // their calls are in flight when the lane begins
}

void PacedCompany::end() {
    thread_.request_stop();
    thread_.join();
}

}  // namespace holdfast::bench
