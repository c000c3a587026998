#include "surface/startup_barrier.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/run_on.hpp"

namespace holdfast::surface {
namespace {

boost::asio::awaitable<bool> signalled(std::shared_ptr<resilience::OneShot> signal) {
    const auto reason = co_await signal->wait_until(resilience::TimePoint::max());
    co_return reason == resilience::WakeReason::signalled;
}

}  // namespace

void StartupBarrier::expect(std::set<std::string> servers, const std::set<std::string>& unawaited) {
    state_.with([&](State& state) {
        state.unheard = std::move(servers);
        state.awaited = state.unheard;
        for (const std::string& server : unawaited) {
            state.awaited.erase(server);
        }
    });
}

void StartupBarrier::expect_more(const std::string& server) {
    state_.with([&server](State& state) {
        state.unheard.insert(server);
        state.unlisted.erase(server);  // of an earlier connection
    });
}

void StartupBarrier::expect_lists(const std::string& server, std::set<downstream::ListKind> kinds) {
    if (kinds.empty()) {
        on_heard(server);
        return;
    }
    state_.with([&](State& state) {
        if (state.unheard.contains(server)) {
            state.unlisted.emplace(server, std::move(kinds));
        }
    });
}

void StartupBarrier::on_listed(const std::string& server, downstream::ListKind kind) {
    const bool is_complete = state_.with([&](State& state) {
        const auto found = state.unlisted.find(server);
        if (found == state.unlisted.end()) {
            return false;
        }
        found->second.erase(kind);
        return found->second.empty();
    });
    if (is_complete) {
        on_heard(server);
    }
}

void StartupBarrier::on_heard(const std::string& server) {
    std::vector<Waiting> waiting;
    state_.with([&](State& state) {
        state.unheard.erase(server);
        state.awaited.erase(server);
        state.unlisted.erase(server);
        const auto [first, last] = state.waiting_for.equal_range(server);
        std::transform(first, last, std::back_inserter(waiting),
                       [](auto& entry) { return std::move(entry.second); });
        state.waiting_for.erase(first, last);
    });
    for (Waiting& one : waiting) {
        net::run_on(one.loop, std::move(one.work));
    }
    run_if_over();
}

std::set<std::string> StartupBarrier::on_time_up() {
    auto awaited = state_.with([](State& state) { return std::exchange(state.awaited, {}); });
    run_if_over();
    return awaited;
}

bool StartupBarrier::is_over() const {
    return state_.with([](const State& state) { return state.awaited.empty(); });
}

std::set<std::string> StartupBarrier::starting() const {
    return state_.with([](const State& state) { return state.unheard; });
}

bool StartupBarrier::is_starting(const std::string& server) const {
    return state_.with([&server](const State& state) { return state.unheard.contains(server); });
}

void StartupBarrier::when_heard(const std::string& server, const net::OwningLoop& loop,
                                std::function<void()> work) {
    const bool is_heard = state_.with([&](State& state) {
        if (state.unheard.contains(server)) {
            state.waiting_for.emplace(server, Waiting{.loop = loop, .work = std::move(work)});
            return false;
        }
        return true;
    });
    if (is_heard) {
        work();
    }
}

void StartupBarrier::when_over(const net::OwningLoop& loop, std::function<void()> work) {
    const bool is_over = state_.with([&](State& state) {
        if (!state.awaited.empty()) {
            state.waiting.push_back({.loop = loop, .work = std::move(work)});
            return false;
        }
        return true;
    });
    if (is_over) {
        work();
    }
}

boost::asio::awaitable<bool> StartupBarrier::wait(const net::OwningLoop& loop) {
    const auto signal = std::make_shared<resilience::OneShot>(*loop.timekeeper);
    // Owned by the coroutine alone, so that it ends with its loop.
    when_over(loop, [weak = std::weak_ptr{signal}] {
        if (const auto waiting = weak.lock()) {
            waiting->signal();
        }
    });
    return signalled(signal);
}

void StartupBarrier::run_if_over() {
    std::vector<Waiting> waiting = state_.with([](State& state) {
        return state.awaited.empty() ? std::exchange(state.waiting, {}) : std::vector<Waiting>{};
    });
    for (Waiting& one : waiting) {
        net::run_on(one.loop, std::move(one.work));
    }
}

}  // namespace holdfast::surface
