#pragma once

#include <source_location>

namespace holdfast::resilience {

/// A broken expectation: a mistake of the program, never of its input.
struct ExpectationFailure {
    const char* condition = nullptr;
    std::source_location where;
};

using ExpectationHandler = void (*)(const ExpectationFailure&);

/// Replaces what happens before the process aborts; the default handler writes one line to standard
/// error. Returns the previous handler. Passing null restores the default.
///
/// Thread-safety: may be called at any time from any thread.
ExpectationHandler set_expectation_handler(ExpectationHandler handler) noexcept;

/// Calls the handler, then aborts, also when the handler returns.
[[noreturn]] void fail_expectation(
    const char* condition, std::source_location where = std::source_location::current()) noexcept;

}  // namespace holdfast::resilience

/// Stays on in every build. For programmer errors only: nothing that a peer, a file or a user can
/// cause may be checked with it.
#define HOLDFAST_EXPECT(condition)                                \
    do {                                                          \
        if (!(condition)) [[unlikely]] {                          \
            ::holdfast::resilience::fail_expectation(#condition); \
        }                                                         \
    } while (false)

/// For checks that are too dear for a release build.
#ifdef NDEBUG
#define HOLDFAST_DEBUG_EXPECT(condition) static_cast<void>(0)
#else
#define HOLDFAST_DEBUG_EXPECT(condition) HOLDFAST_EXPECT(condition)
#endif
