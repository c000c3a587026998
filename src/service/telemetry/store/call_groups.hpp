#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/call_record.hpp"

namespace holdfast::telemetry {

/// Calls that are equal except for their numbers and attempts.
struct CallGroup {
    const record::CallRecord* first = nullptr;  ///< Has the common fields.
    std::int64_t last_ms = 0;                   ///< Arrival of the last call.
    std::size_t count = 0;
    /// A JSON array of `[at_ms,id,session,queue_us,total_us,bytes_in,bytes_out,attempts]`. A single
    /// attempt that the call's own server answered is written as `began_us,took_us`.
    std::string calls = {};
};

/// Groups the calls that are stored together. Busy gateways have thousands of nearly equal calls;
/// with one row per group SQLite does the work once for many.
///
/// Thread-safety: none.
class CallGroups final {
public:
    /// Maximum number of calls in a group; further calls start another group.
    explicit CallGroups(std::size_t max_calls) : max_calls_(max_calls) {}

    /// The record must live until `clear`.
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
    /// Groups that are not full, by any of their calls.
    std::unordered_map<const record::CallRecord*, std::size_t, Hash, Equal> open_;
};

/// Appends the attempts of a call as JSON.
void append_attempts(std::string& out, std::span<const record::AttemptRecord> attempts);

/// Returns the displayed form: at most 16 digits; empty without a session.
[[nodiscard]] std::string session_text(std::uint64_t session);

}  // namespace holdfast::telemetry
