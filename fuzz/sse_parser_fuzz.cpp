#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "holdfast/resilience/expect.hpp"
#include "net/sse_parser.hpp"

namespace {

using holdfast::net::SseEvent;
using holdfast::net::SseNeedBytes;
using holdfast::net::SseParser;
using holdfast::net::SseParserOptions;
using holdfast::net::SseStep;

constexpr SseParserOptions kOptions{.max_event_bytes = 32, .max_field_bytes = 8};

std::vector<std::string> events_of(std::string_view stream, std::size_t piece_bytes) {
    SseParser parser{kOptions};
    std::vector<std::string> events;
    for (; !stream.empty(); stream.remove_prefix(std::min(piece_bytes, stream.size()))) {
        parser.feed(stream.substr(0, piece_bytes));
        for (SseStep step = parser.next(); !std::holds_alternative<SseNeedBytes>(step);
             step = parser.next()) {
            if (const auto* event = std::get_if<SseEvent>(&step)) {
                HOLDFAST_EXPECT(!event->data.empty());
                HOLDFAST_EXPECT(event->data.size() <= kOptions.max_event_bytes);
                HOLDFAST_EXPECT(event->id.size() <= kOptions.max_field_bytes);
                events.emplace_back(event->type);
                events.emplace_back(event->data);
                events.emplace_back(event->id);
            } else {
                events.emplace_back("too long");
            }
        }
    }
    events.push_back(parser.last_event_id());
    events.push_back(parser.retry() ? std::to_string(parser.retry()->count()) : "none");
    return events;
}

}  // namespace

// The events do not depend on the pieces and are within the limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view stream{reinterpret_cast<const char*>(data), size};
    const auto whole = events_of(stream, size + 1);
    HOLDFAST_EXPECT(whole == events_of(stream, 1));
    HOLDFAST_EXPECT(whole == events_of(stream, 5));
    return 0;
}
