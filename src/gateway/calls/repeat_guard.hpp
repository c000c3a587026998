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

/// Holds back a call that an agent repeats although it keeps failing in the same way: after a
/// number of failures the call is not sent for a while. Must not be used for transient failures
/// such as timeouts, nor for error results of tools, which may change with the state of the server.
///
/// Thread-safety: from any thread.
class RepeatGuard final {
public:
    explicit RepeatGuard(std::size_t max_calls = 10'000) : max_calls_(max_calls) {}

    /// The error of a call that is held back; nothing if it may be sent.
    [[nodiscard]] std::optional<std::string> error_of_held(const std::string& call,
                                                           resilience::TimePoint now) const;

    /// The call to this server has failed with this error. `call` identifies it
    /// (`identity_of_call`).
    void on_failure(const std::string& call, std::string_view server, std::string_view error,
                    const policy::RepeatGuardRules& rules, resilience::TimePoint now);
    /// The call has ended in another way. Forgets its failures.
    void on_other_end(const std::string& call);
    /// A call may have changed the state of the server. Forgets all failures there.
    void on_change(std::string_view server);

    /// Whether no failing call is stored, the usual case. Takes no lock.
    [[nodiscard]] bool is_empty() const noexcept {
        return size_.load(std::memory_order_relaxed) == 0;
    }

private:
    struct Repeated {
        std::string server = {};
        std::size_t error_hash = 0;
        std::string error = {};  ///< Its beginning.
        std::uint32_t count = 0;
        resilience::TimePoint held_until = {};
        resilience::TimePoint forgotten_at = {};
    };
    using Calls = std::unordered_map<std::string, Repeated>;

    void make_room(Calls& calls, resilience::TimePoint now) const;

    const std::size_t max_calls_;
    resilience::Synchronized<Calls> calls_;
    std::atomic<std::size_t> size_{0};  // of `calls_`
};

}  // namespace holdfast::calls
