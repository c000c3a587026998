#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"
#include "record/call_record.hpp"

namespace holdfast::telemetry {

struct ExplainedCallsOptions {
    std::size_t max_calls = 10'000;  ///< Zero = none is kept.
};

/// Selects calls; an empty text matches all.
struct CallFilter {
    bool only_failed = false;
    std::string server = {};
    std::string tool = {};

    [[nodiscard]] bool takes(const record::CallRecord& record) const;
};

/// The last calls with all details, for `explain` and the page. New calls replace the oldest.
///
/// Thread-safety: from any thread.
class ExplainedCalls final {
public:
    using Call = record::KeptCall;

    explicit ExplainedCalls(const ExplainedCallsOptions& options = {}) : options_(options) {}

    /// None may be null. Takes one lock for all of them.
    void add(std::span<const Call> calls);
    /// Returns null if the call is unknown or has been dropped.
    [[nodiscard]] Call find(std::string_view id) const;
    /// Returns calls by time of arrival, newest first, at most `limit`.
    [[nodiscard]] std::vector<Call> latest(std::size_t limit, const CallFilter& filter = {}) const;

private:
    struct Slot {
        std::size_t id_hash = 0;
        Call call = {};
    };
    struct Ring {
        std::vector<Slot> slots = {};
        std::size_t next = 0;
    };

    const ExplainedCallsOptions options_;
    resilience::Synchronized<Ring> ring_;
};

}  // namespace holdfast::telemetry
