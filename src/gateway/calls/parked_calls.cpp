#include "calls/parked_calls.hpp"

#include <utility>

#include "calls/relayed_call.hpp"

namespace holdfast::calls {

bool ParkedCalls::try_park(const std::string& state, std::shared_ptr<RelayedCall> call) {
    return calls_.with([&](auto& calls) {
        return calls.size() < max_calls_ && calls.emplace(state, std::move(call)).second;
    });
}

std::shared_ptr<RelayedCall> ParkedCalls::take(const std::string& state) {
    return calls_.with([&state](auto& calls) {
        auto node = calls.extract(state);
        return node.empty() ? std::shared_ptr<RelayedCall>{} : std::move(node.mapped());
    });
}

void ParkedCalls::cancel_all() {
    const auto all = calls_.with([](auto& calls) { return std::exchange(calls, {}); });
    for (const auto& [state, call] : all) {
        call->cancel();
    }
}

std::size_t ParkedCalls::size() const {
    return calls_.with([](const auto& calls) { return calls.size(); });
}

}  // namespace holdfast::calls
