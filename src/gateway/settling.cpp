#include "gateway/settling.hpp"

#include <utility>

#include "gateway/on_loop.hpp"

namespace holdfast::gateway {

void Settling::expect(std::set<std::string> servers) {
    state_.with([&servers](State& state) { state.unheard = std::move(servers); });
}

void Settling::on_heard(const std::string& server) {
    state_.with([&server](State& state) { state.unheard.erase(server); });
    run_if_over();
}

void Settling::on_time_up() {
    state_.with([](State& state) { state.unheard.clear(); });
    run_if_over();
}

void Settling::when_over(const net::OwningLoop& loop, std::function<void()> work) {
    const bool is_over = state_.with([&](State& state) {
        if (!state.unheard.empty()) {
            state.waiting.push_back({.loop = loop, .work = std::move(work)});
            return false;
        }
        return true;
    });
    if (is_over) {
        work();
    }
}

void Settling::run_if_over() {
    std::vector<Waiting> waiting = state_.with([](State& state) {
        return state.unheard.empty() ? std::exchange(state.waiting, {}) : std::vector<Waiting>{};
    });
    for (Waiting& one : waiting) {
        on_loop(one.loop, std::move(one.work));
    }
}

}  // namespace holdfast::gateway
