#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/records.hpp"
#include "telemetry/counters/striped.hpp"

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
/// Thread-safety: from any thread. The id of a call selects one of several parts, each with its own
/// lock.
class ExplainedCalls final {
public:
    using Call = std::shared_ptr<const record::CallRecord>;

    explicit ExplainedCalls(const ExplainedCallsOptions& options = {});

    /// Must not be null.
    void add(Call call);
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

    const std::size_t max_in_part_;
    Striped<Ring> rings_;
};

}  // namespace holdfast::telemetry
