#pragma once

#include <source_location>

namespace holdfast::resilience {

/// A failed expectation: an error of the program, never of its input.
struct ExpectationFailure {
    const char* condition = nullptr;
    std::source_location where;
};

using ExpectationHandler = void (*)(const ExpectationFailure&);

/// Sets the handler that runs before the process aborts; the default handler writes one line to
/// standard error. Returns the previous handler. Null restores the default.
///
/// Thread-safety: may be called at any time from any thread.
ExpectationHandler set_expectation_handler(ExpectationHandler handler) noexcept;

/// Calls the handler, then aborts, even if the handler returns.
[[noreturn]] void fail_expectation(
    const char* condition, std::source_location where = std::source_location::current()) noexcept;

}  // namespace holdfast::resilience

/// Checks a condition in every build. For programmer errors only: never use it for anything that a
/// peer, a file or a user can cause.
#define HOLDFAST_EXPECT(condition)                                \
    do {                                                          \
        if (!(condition)) [[unlikely]] {                          \
            ::holdfast::resilience::fail_expectation(#condition); \
        }                                                         \
    } while (false)

/// For checks that are too expensive for a release build.
#ifdef NDEBUG
#define HOLDFAST_DEBUG_EXPECT(condition) static_cast<void>(0)
#else
#define HOLDFAST_DEBUG_EXPECT(condition) HOLDFAST_EXPECT(condition)
#endif
