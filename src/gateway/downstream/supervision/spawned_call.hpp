#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/started_call.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// Runs the coroutine of a request on the caller's loop, and reports its result to the observer.
/// The coroutine owns the observer, so a loop that is destroyed releases both.
[[nodiscard]] std::shared_ptr<StartedCall> spawn_call(const net::OwningLoop& caller,
                                                      boost::asio::awaitable<CallResult> call,
                                                      std::shared_ptr<CallObserver> observer);

}  // namespace holdfast::downstream
