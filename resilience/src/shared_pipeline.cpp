#include "holdfast/resilience/shared_pipeline.hpp"

#include "holdfast/resilience/detail/option_check.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

Result<PipelineSetup> validated(const PipelineSetup& setup) {
    detail::OptionCheck check{"pipeline"};
    check.nested(validated(setup.options));
    if (setup.limiter) {
        check.nested(validated(*setup.limiter));
    }
    if (setup.circuit) {
        check.nested(validated(*setup.circuit));
    }
    if (setup.bulkhead) {
        check.nested(validated(*setup.bulkhead));
    }
    if (setup.budget) {
        check.nested(validated(*setup.budget));
    }
    return check.result(setup);
}

SharedPipeline::SharedPipeline(Private /*made by make*/, const PipelineSetup& setup,
                               Observer* observer, Waker* waker)
    : name_(setup.name), policy_(setup.options), lock_(observer, waker) {
    HOLDFAST_EXPECT(validated(setup).has_value());
    Observer* const inner = lock_.observer();
    parts_.name = name_;
    parts_.observer = inner;
    if (setup.limiter) {
        parts_.limiter = &limiter_.emplace(*setup.limiter);
    }
    if (setup.circuit) {
        parts_.circuit =
            &circuit_.emplace(*setup.circuit, CircuitContext{.name = setup.name,
                                                             .observer = inner,
                                                             .jitter_seed = setup.jitter_seed});
    }
    if (setup.bulkhead) {
        parts_.bulkhead = &bulkhead_.emplace(*setup.bulkhead, lock_.waker());
    }
    if (setup.budget) {
        parts_.budget = &budget_.emplace(*setup.budget);
    }
}

}  // namespace holdfast::resilience
