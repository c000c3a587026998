#include "downstream/start_gate.hpp"

#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

namespace holdfast::downstream {

std::unique_ptr<StartGate::Place> StartGate::join(const net::OwningLoop& loop, Granted granted) {
    const auto ticket = state_.with([&](State& state) {
        const auto joined = state.slots.join();
        state.waiting.emplace(joined, Waiting{.loop = loop, .granted = std::move(granted)});
        return joined;
    });
    auto place = std::make_unique<Place>(shared_from_this(), ticket);
    pass_on();
    return place;
}

void StartGate::prefer(StartSlots::Ticket ticket) {
    state_.with([ticket](State& state) { state.slots.prefer(ticket); });
}

void StartGate::leave(StartSlots::Ticket ticket) {
    state_.with([ticket](State& state) {
        state.slots.leave(ticket);
        state.waiting.erase(ticket);
    });
    pass_on();
}

void StartGate::pass_on() {
    struct Started {
        Waiting waiting;
        resilience::Duration delay;
    };
    const auto started = state_.with([](State& state) {
        std::vector<Started> all;
        for (const StartSlots::Grant& grant : state.slots.take_grants()) {
            auto node = state.waiting.extract(grant.ticket);
            all.push_back({.waiting = std::move(node.mapped()), .delay = grant.delay});
        }
        return all;
    });
    for (const Started& one : started) {
        boost::asio::post(one.waiting.loop.executor,
                          [granted = one.waiting.granted, delay = one.delay] { granted(delay); });
    }
}

}  // namespace holdfast::downstream
