#pragma once

#include <exception>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::net {

/// The completion handler of spawned coroutines. Our own code does not throw; an exception of a
/// library means that memory is exhausted, or a bug.
inline void expect_no_exception(const std::exception_ptr& error) {
    HOLDFAST_EXPECT(error == nullptr);
}

}  // namespace holdfast::net
