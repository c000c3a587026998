#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "downstream/http/http_link_state.hpp"
#include "downstream/http/http_reply.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// Reads a reply that is a stream of events up to its response. A legacy stream that breaks off is
/// resumed on another connection. `listener` may be null.
[[nodiscard]] boost::asio::awaitable<CallResult> follow_reply_stream(
    std::shared_ptr<HttpLinkState> state, net::OwningLoop caller, EventReading reading,
    std::unique_ptr<net::HttpClientResponse> response, std::shared_ptr<CallListener> listener);

}  // namespace holdfast::downstream
