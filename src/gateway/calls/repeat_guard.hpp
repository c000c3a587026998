#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"
#include "policy/policy.hpp"

namespace holdfast::calls {

/// Stops agents that repeat a call which fails in the same lasting way: after some times it is not
/// sent for a while. Failures that may pass, such as timeouts, do not belong here.
///
/// Thread-safety: from any thread.
class RepeatGuard final {
public:
    explicit RepeatGuard(std::size_t max_calls = 10'000) : max_calls_(max_calls) {}

    /// How long that call is still held back; nothing if it is not.
    [[nodiscard]] std::optional<resilience::Duration> held_for(const std::string& call,
                                                               resilience::TimePoint now) const;

    /// The call has failed with these words. `call` holds all that makes two calls the same.
    void on_failure(const std::string& call, std::string_view words,
                    const policy::RepeatGuardRules& rules, resilience::TimePoint now);
    /// The call has ended in another way: it is as if it had never failed.
    void on_other_end(const std::string& call);

    /// Whether no call is known to fail, as is usual. Costs no lock.
    [[nodiscard]] bool is_empty() const noexcept {
        return size_.load(std::memory_order_relaxed) == 0;
    }

private:
    struct Repeated {
        std::size_t words_hash = 0;
        std::uint32_t count = 0;
        resilience::TimePoint held_until = {};
        resilience::TimePoint forgotten_at = {};
    };
    using Calls = std::unordered_map<std::string, Repeated>;

    void make_room(Calls& calls, resilience::TimePoint now) const;

    const std::size_t max_calls_;
    resilience::Synchronized<Calls> calls_;
    std::atomic<std::size_t> size_{0};  // of it
};

}  // namespace holdfast::calls
