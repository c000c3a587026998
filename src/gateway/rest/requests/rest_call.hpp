#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/answer.hpp"
#include "downstream/request.hpp"
#include "net/loop.hpp"
#include "rest/requests/rest_backend.hpp"

namespace holdfast::rest {

/// Runs one request to completion on the caller's loop. Tool calls make one HTTP exchange with the
/// backend; the gateway answers all other requests itself.
[[nodiscard]] boost::asio::awaitable<downstream::CallResult> run_rest_call(
    std::shared_ptr<const RestBackend> backend, net::OwningLoop caller,
    downstream::Request request);

/// Describes an exchange that failed before a complete answer arrived.
[[nodiscard]] downstream::CallFault fault_of_exchange(const net::HttpClientError& error);

}  // namespace holdfast::rest
