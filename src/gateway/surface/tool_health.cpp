#include "surface/tool_health.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::surface {
namespace {

using downstream::DownstreamStatus;
using downstream::LinkState;

bool is_down(const DownstreamStatus& status) {
    switch (status.state) {
        case LinkState::waiting:
        case LinkState::paused:
        case LinkState::stopped:
            return true;
        case LinkState::connecting:
            return status.failed_dials > 0;
        case LinkState::idle:
        case LinkState::ready:
            break;
    }
    return false;
}

}  // namespace

bool is_down(const Server& server) {
    return is_down(server.downstream->status());
}

std::string why_unavailable(const Callable& tool, resilience::TimePoint now) {
    const Server& server = *tool.server;
    const DownstreamStatus status = server.downstream->status();
    if (!is_down(status)) {
        const bool is_open =
            server.guard != nullptr && server.guard->is_tool_open(tool.own_name, now);
        return is_open ? server.name + " is failing" : std::string{};
    }
    if (status.state == LinkState::paused) {
        return server.name + " is paused";
    }
    std::string text = server.name + " is down";
    if (status.next_attempt_at) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(
            resilience::elapsed_between(now, *status.next_attempt_at));
        text += ", retry in " + std::to_string(std::max<std::int64_t>(left.count(), 1)) + " s";
    }
    return text;
}

}  // namespace holdfast::surface
