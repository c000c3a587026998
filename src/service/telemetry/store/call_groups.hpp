#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/records.hpp"

namespace holdfast::telemetry {

/// Calls that have everything in common but for their numbers and attempts.
struct CallGroup {
    const record::CallRecord* first = nullptr;  ///< Has what they have in common.
    std::int64_t last_ms = 0;                   ///< When the last of them came.
    std::size_t count = 0;
    /// A JSON array of `[at_ms,id,session,queue_us,total_us,bytes_in,bytes_out,attempts]`. If there
    /// was one attempt, at the call's server and answered, `began_us,took_us` is in its place.
    std::string calls = {};
};

/// Gathers the calls that are stored together. Busy gateways have thousands of calls that say
/// nearly the same: with a row for each group of them SQLite has work once for many.
///
/// Thread-safety: none.
class CallGroups final {
public:
    /// So many calls in a group; more make another one.
    explicit CallGroups(std::size_t max_calls) : max_calls_(max_calls) {}

    /// The record must stay until `clear`.
    void add(const record::CallRecord& call);
    [[nodiscard]] std::span<const CallGroup> all() const noexcept { return groups_; }
    void clear();

private:
    struct Hash {
        std::size_t operator()(const record::CallRecord* call) const noexcept;
    };
    struct Equal {
        bool operator()(const record::CallRecord* one,
                        const record::CallRecord* other) const noexcept;
    };

    std::size_t max_calls_;
    std::vector<CallGroup> groups_;
    /// Those that have room, by any of their calls.
    std::unordered_map<const record::CallRecord*, std::size_t, Hash, Equal> open_;
};

/// The attempts of a call as JSON.
void append_attempts(std::string& out, std::span<const record::AttemptRecord> attempts);

/// As it is shown: 16 digits at most; nothing if there is none.
[[nodiscard]] std::string session_text(std::uint64_t session);

}  // namespace holdfast::telemetry
