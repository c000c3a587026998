#include "calls/repeat_guard.hpp"

#include <functional>

namespace holdfast::calls {

std::optional<resilience::Duration> RepeatGuard::held_for(const std::string& call,
                                                          resilience::TimePoint now) const {
    return calls_.with([&](const Calls& calls) -> std::optional<resilience::Duration> {
        const auto found = calls.find(call);
        if (found == calls.end() || found->second.held_until <= now) {
            return std::nullopt;
        }
        return resilience::elapsed_between(now, found->second.held_until);
    });
}

void RepeatGuard::on_failure(const std::string& call, std::string_view words,
                             const policy::RepeatGuardRules& rules, resilience::TimePoint now) {
    const std::size_t words_hash = std::hash<std::string_view>{}(words);
    calls_.with([&](Calls& calls) {
        if (calls.size() >= max_calls_ && !calls.contains(call)) {
            make_room(calls, now);
        }
        Repeated& repeated = calls[call];
        const bool is_same = repeated.words_hash == words_hash && now < repeated.forgotten_at;
        repeated.count = is_same ? repeated.count + 1 : 1;
        repeated.words_hash = words_hash;
        repeated.forgotten_at = resilience::saturating_add(now, rules.hold);
        if (repeated.count >= rules.failures) {
            repeated.held_until = repeated.forgotten_at;
            repeated.count = 0;
        }
        size_.store(calls.size(), std::memory_order_relaxed);
    });
}

void RepeatGuard::on_other_end(const std::string& call) {
    calls_.with([&](Calls& calls) {
        calls.erase(call);
        size_.store(calls.size(), std::memory_order_relaxed);
    });
}

void RepeatGuard::make_room(Calls& calls, resilience::TimePoint now) const {
    std::erase_if(calls, [now](const auto& one) { return one.second.forgotten_at <= now; });
    if (calls.size() >= max_calls_) {
        calls.erase(calls.begin());
    }
}

}  // namespace holdfast::calls
