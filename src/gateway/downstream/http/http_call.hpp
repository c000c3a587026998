#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "downstream/http/http_link_state.hpp"
#include "downstream/request.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// One request of a link over HTTP, on the caller's loop and over its connections. An answer in
/// JSON costs one exchange and one look at the text. A legacy reply that breaks off is resumed; a
/// call that is given up is told to a legacy server by a message, to a modern one by hanging up.
[[nodiscard]] boost::asio::awaitable<CallResult> run_http_call(
    std::shared_ptr<HttpLinkState> state, net::OwningLoop caller, Request request,
    std::shared_ptr<CallListener> listener);

}  // namespace holdfast::downstream
