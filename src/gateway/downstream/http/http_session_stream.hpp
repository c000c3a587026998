#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/http/http_link_state.hpp"

namespace holdfast::downstream {

/// Keeps a legacy session's stream for messages outside of replies open, on the home loop. Reopens
/// it with a growing delay, and ends if the server offers no such stream. A question on the stream
/// goes to the only call that it can be about; without calls it goes to the link's listener;
/// otherwise it is refused.
[[nodiscard]] boost::asio::awaitable<void> follow_session(std::shared_ptr<HttpLinkState> state);

}  // namespace holdfast::downstream
