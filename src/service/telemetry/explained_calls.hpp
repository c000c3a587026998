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

/// Which calls are wanted; an empty text stands for all.
struct CallFilter {
    bool only_failed = false;
    std::string server = {};
    std::string tool = {};

    [[nodiscard]] bool takes(const record::CallRecord& record) const;
};

/// The last calls with all that is known of them, for `explain` and the page. The oldest make room
/// for new ones.
///
/// Thread-safety: from any thread. A call is spread by its id over parts with locks of their own.
class ExplainedCalls final {
public:
    using Call = std::shared_ptr<const record::CallRecord>;

    explicit ExplainedCalls(const ExplainedCallsOptions& options = {});

    /// Must not be null.
    void add(Call call);
    /// Null if it is not kept any more, or never was.
    [[nodiscard]] Call find(std::string_view id) const;
    /// Newest first, by when they came; at most `limit`.
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
