#include "telemetry/records.hpp"

namespace holdfast::telemetry {

std::string_view text_of(EventKind kind) noexcept {
    switch (kind) {
        case EventKind::call:
            return "call";
        case EventKind::connection:
            return "connection";
        case EventKind::circuit:
            return "circuit";
        case EventKind::retry:
            return "retry";
        case EventKind::refusal:
            return "refusal";
        case EventKind::router:
            return "router";
        case EventKind::fallback:
            return "fallback";
        case EventKind::gateway:
            return "gateway";
    }
    return "";
}

}  // namespace holdfast::telemetry
