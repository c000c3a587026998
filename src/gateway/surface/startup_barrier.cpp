#include "surface/startup_barrier.hpp"

#include <utility>

#include "net/run_on.hpp"

namespace holdfast::surface {

void Settling::expect(std::set<std::string> servers) {
    state_.with([&servers](State& state) { state.unheard = std::move(servers); });
}

void Settling::expect_lists(const std::string& server, std::set<downstream::ListKind> kinds) {
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

void Settling::on_listed(const std::string& server, downstream::ListKind kind) {
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

void Settling::on_heard(const std::string& server) {
    state_.with([&server](State& state) {
        state.unheard.erase(server);
        state.unlisted.erase(server);
    });
    run_if_over();
}

void Settling::on_time_up() {
    state_.with([](State& state) {
        state.unheard.clear();
        state.unlisted.clear();
    });
    run_if_over();
}

bool Settling::is_over() const {
    return state_.with([](const State& state) { return state.unheard.empty(); });
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
        net::on_loop(one.loop, std::move(one.work));
    }
}

}  // namespace holdfast::surface
