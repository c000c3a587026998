#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agents/reply_port.hpp"
#include "surface/surface.hpp"

namespace holdfast::dispatch {

/// Whether the server is connected and cannot report changes of its resources.
[[nodiscard]] bool refuses_subscriptions(const surface::Server& server);

/// Whether a server lists the URI, a URI below it, or a template that fits it.
[[nodiscard]] bool is_known_uri(const surface::Surface& surface, std::string_view uri);

/// Whether an agent may wait for changes of a URI, as far as the gateway knows.
[[nodiscard]] bool can_subscribe(const surface::Surface& surface, std::string_view uri);

/// Passes an answer on. If it is a result, calls `on_accepted` first.
[[nodiscard]] std::shared_ptr<agents::ReplyPort> accepting_port(
    std::shared_ptr<agents::ReplyPort> port, std::function<void()> on_accepted);

}  // namespace holdfast::dispatch
