#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/http/http_link_state.hpp"

namespace holdfast::downstream {

/// Keeps a legacy session's stream for messages outside of replies open, on the home loop. Reopens
/// it with a growing delay, and ends if the server offers no such stream. A question or
/// a log line on the stream goes to the call that `CallChoice` chooses, else to the link's
/// listener.
[[nodiscard]] boost::asio::awaitable<void> follow_session(std::shared_ptr<HttpLinkState> state);

}  // namespace holdfast::downstream
