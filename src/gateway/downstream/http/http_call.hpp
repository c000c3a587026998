#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "downstream/http/http_link_state.hpp"
#include "downstream/request.hpp"
#include "downstream/started_call.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// Runs one request of an HTTP link on the caller's loop and connections. A JSON answer costs one
/// exchange and one parse. A legacy reply that breaks off is resumed. A cancelled call is reported
/// to a legacy server by a message, and to a modern one by closing the connection.
[[nodiscard]] boost::asio::awaitable<CallResult> run_http_call(
    std::shared_ptr<HttpLinkState> state, net::OwningLoop caller, Request request,
    std::shared_ptr<CallListener> listener);

/// Starts the same without a coroutine; see `Link::try_start`.
[[nodiscard]] std::shared_ptr<StartedCall> try_start_http_call(
    const std::shared_ptr<HttpLinkState>& state, const net::OwningLoop& caller,
    const Request& request, const std::shared_ptr<CallObserver>& observer);

}  // namespace holdfast::downstream
