#pragma once

#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "net/message_channel.hpp"
#include "support/fixture_server/server.hpp"

namespace holdfast::fixture {

/// Serves one channel, which is one session, until its peer ends it; then cancels its calls. The
/// server must outlive it. `authorization` is the credential of the peer.
[[nodiscard]] boost::asio::awaitable<void> serve_channel(
    FixtureServer* server, std::shared_ptr<net::MessageChannel> channel,
    std::string authorization = {});

}  // namespace holdfast::fixture
