#include "downstream/websocket_source.hpp"

#include <utility>

namespace holdfast::downstream {

ChannelSource make_websocket_source(net::WebSocketTarget target, net::WebSocketOptions options) {
    return [target = std::move(target), options = std::move(options)](
               net::OwningLoop loop, resilience::Deadline deadline) {
        return net::open_websocket(std::move(loop), target, options, deadline);
    };
}

}  // namespace holdfast::downstream
