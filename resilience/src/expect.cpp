#include "holdfast/resilience/expect.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace holdfast::resilience {
namespace {

void report_to_standard_error(const ExpectationFailure& failure) {
    std::fprintf(stderr, "%s:%u: expectation failed: %s (in %s)\n", failure.where.file_name(),
                 static_cast<unsigned>(failure.where.line()), failure.condition,
                 failure.where.function_name());
}

std::atomic<ExpectationHandler> installed_handler{&report_to_standard_error};

}  // namespace

ExpectationHandler set_expectation_handler(ExpectationHandler handler) noexcept {
    return installed_handler.exchange(handler != nullptr ? handler : &report_to_standard_error);
}

void fail_expectation(const char* condition, std::source_location where) noexcept {
    installed_handler.load()({.condition = condition, .where = where});
    std::abort();
}

}  // namespace holdfast::resilience
