#include "holdfast/resilience/single_flight.hpp"

#include "holdfast/resilience/detail/option_check.hpp"

namespace holdfast::resilience {

Result<SingleFlightOptions> validated(const SingleFlightOptions& options) {
    return detail::OptionCheck{"single_flight"}
        .at_least("max_keys", options.max_keys, 1)
        .at_least("max_followers", options.max_followers, 1)
        .result(options);
}

}  // namespace holdfast::resilience
