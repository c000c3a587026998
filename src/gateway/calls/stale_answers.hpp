#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "calls/failure.hpp"
#include "holdfast/resilience/stale_cache.hpp"
#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::calls {

/// An earlier good answer.
struct StaleAnswer {
    std::shared_ptr<const std::string> result = {};  ///< A result object of the legacy era.
    resilience::Duration age = {};
};

/// The last good answers of calls that only read, by the identity of the call.
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

/// Returns the old result with a sentence about its age and the failure in front.
[[nodiscard]] std::string stale_result(const StaleAnswer& answer, const Failure& failure);

}  // namespace holdfast::calls
