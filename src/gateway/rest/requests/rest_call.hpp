#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/answer.hpp"
#include "downstream/request.hpp"
#include "net/loop.hpp"
#include "rest/requests/rest_backend.hpp"

namespace holdfast::rest {

/// Runs one request to its end: by the gateway itself, or for a tool by one exchange with the
/// backend, on the caller's loop.
[[nodiscard]] boost::asio::awaitable<downstream::CallResult> run_rest_call(
    std::shared_ptr<const RestBackend> backend, net::OwningLoop caller,
    downstream::Request request);

/// An exchange that broke before there was an answer.
[[nodiscard]] downstream::CallFault fault_of_exchange(const net::HttpClientError& error);

}  // namespace holdfast::rest
