#include "calls/parked_calls.hpp"

#include <utility>

#include "calls/call.hpp"

namespace holdfast::calls {

bool ParkedCalls::try_park(const std::string& token, std::shared_ptr<Call> call) {
    return calls_.with([&](auto& calls) {
        return calls.size() < max_calls_ && calls.emplace(token, std::move(call)).second;
    });
}

std::shared_ptr<Call> ParkedCalls::take(const std::string& token) {
    return calls_.with([&token](auto& calls) {
        auto node = calls.extract(token);
        return node.empty() ? std::shared_ptr<Call>{} : std::move(node.mapped());
    });
}

void ParkedCalls::cancel_all() {
    const auto all = calls_.with([](auto& calls) { return std::exchange(calls, {}); });
    for (const auto& [token, call] : all) {
        call->cancel();
    }
}

std::size_t ParkedCalls::size() const {
    return calls_.with([](const auto& calls) { return calls.size(); });
}

}  // namespace holdfast::calls
