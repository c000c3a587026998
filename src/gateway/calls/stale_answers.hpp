#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "calls/call_plan.hpp"
#include "calls/failure.hpp"
#include "holdfast/resilience/stale_cache.hpp"
#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::calls {

/// A good answer of earlier.
struct StaleAnswer {
    std::shared_ptr<const std::string> result = {};  ///< A result object of the legacy form.
    resilience::Duration age = {};
};

/// The last good answers of tools that only read and whose policy lets an old answer stand in.
/// Each agent has its own: what one principal was told is not for another.
///
/// Thread-safety: from any thread.
class StaleAnswers final {
public:
    explicit StaleAnswers(const resilience::StaleCacheOptions& options = {}) : cache_(options) {}

    void keep(const std::string& call, std::string result, resilience::TimePoint now);
    [[nodiscard]] std::optional<StaleAnswer> find(const std::string& call,
                                                  resilience::Duration max_age,
                                                  resilience::TimePoint now) const;

private:
    using Cache = resilience::StaleCache<std::string, std::shared_ptr<const std::string>>;

    resilience::Synchronized<Cache> cache_;
};

/// All that makes two calls the same, who asks included. Not to be shown: it may hold secrets.
[[nodiscard]] std::string identity_of_call(const agents::AgentRequest& origin,
                                           const CallPlan& plan);

/// The old result, with words about its age and the failure in front.
[[nodiscard]] std::string stale_result(const StaleAnswer& answer, const Failure& failure);

}  // namespace holdfast::calls
