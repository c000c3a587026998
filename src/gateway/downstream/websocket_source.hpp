#pragma once

#include "downstream/stream_opener.hpp"
#include "net/websocket_client.hpp"

namespace holdfast::downstream {

/// Returns a source that dials the target once per channel.
[[nodiscard]] ChannelSource make_websocket_source(net::WebSocketTarget target,
                                                  net::WebSocketOptions options);

}  // namespace holdfast::downstream
