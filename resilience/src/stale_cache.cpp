#include "holdfast/resilience/stale_cache.hpp"

#include "holdfast/resilience/detail/option_check.hpp"

namespace holdfast::resilience {

Result<StaleCacheOptions> validated(const StaleCacheOptions& options) {
    return detail::OptionCheck{"stale_cache"}
        .at_least("max_entries", options.max_entries, 1)
        .at_least("max_cost", options.max_cost, 1)
        .positive("max_age", options.max_age)
        .result(options);
}

}  // namespace holdfast::resilience
