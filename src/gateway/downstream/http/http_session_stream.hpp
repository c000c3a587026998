#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "downstream/http/http_link_state.hpp"

namespace holdfast::downstream {

/// Holds open the stream of a legacy session on which the server says what belongs to no reply, on
/// the home loop. Opens it again with a growing delay, and ends when the server offers none. A
/// question on it goes to the call that it can only be about, else to the link's listener if there
/// is no call, else it is refused.
[[nodiscard]] boost::asio::awaitable<void> follow_session(std::shared_ptr<HttpLinkState> state);

}  // namespace holdfast::downstream
