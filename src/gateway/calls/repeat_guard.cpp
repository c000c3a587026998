#include "calls/repeat_guard.hpp"

#include <functional>

#include "base/text_cut.hpp"

namespace holdfast::calls {
namespace {

constexpr std::size_t kMaxErrorBytes = 1'000;

}  // namespace

std::optional<std::string> RepeatGuard::error_of_held(const std::string& call,
                                                      resilience::TimePoint now) const {
    return calls_.with([&](const Calls& calls) -> std::optional<std::string> {
        const auto found = calls.find(call);
        if (found == calls.end() || found->second.held_until <= now) {
            return std::nullopt;
        }
        return found->second.error;
    });
}

void RepeatGuard::on_failure(const std::string& call, std::string_view server,
                             std::string_view error, const policy::RepeatGuardRules& rules,
                             resilience::TimePoint now) {
    const std::size_t error_hash = std::hash<std::string_view>{}(error);
    calls_.with([&](Calls& calls) {
        if (calls.size() >= max_calls_ && !calls.contains(call)) {
            make_room(calls, now);
        }
        Repeated& repeated = calls[call];
        const bool is_same = repeated.error_hash == error_hash && now < repeated.forgotten_at;
        if (!is_same) {
            repeated.server = server;
            repeated.error = base::beginning_of(error, kMaxErrorBytes);
            repeated.error_hash = error_hash;
        }
        repeated.count = is_same ? repeated.count + 1 : 1;
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

void RepeatGuard::on_change(std::string_view server) {
    calls_.with([&](Calls& calls) {
        std::erase_if(calls, [server](const auto& one) { return one.second.server == server; });
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
