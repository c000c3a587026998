#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "downstream/request.hpp"
#include "downstream/supervision/downstream_core.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// Runs one request on the caller's loop. Must be awaited at once, because the link is chosen here.
[[nodiscard]] boost::asio::awaitable<CallResult> run_call(
    const std::shared_ptr<DownstreamCore>& core, net::OwningLoop caller, Request request,
    std::shared_ptr<CallListener> listener);

}  // namespace holdfast::downstream
