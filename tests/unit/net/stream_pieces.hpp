#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "net/line_framer.hpp"
#include "net/sse_parser.hpp"
#include "support/seeds.hpp"

namespace holdfast::net {

/// Splits a stream into pieces of random sizes, some of one byte.
inline std::vector<std::string_view> cut_at_random(std::string_view stream,
                                                   std::mt19937_64& generator) {
    using resilience::testing::chance;
    using resilience::testing::random_between;
    std::vector<std::string_view> pieces;
    while (!stream.empty()) {
        const std::size_t wanted =
            chance(generator, 0.4) ? 1 : random_between<std::size_t>(generator, 1, stream.size());
        pieces.push_back(stream.substr(0, wanted));
        stream.remove_prefix(wanted);
    }
    return pieces;
}

/// Makes a stream of the given texts in random order.
inline std::string random_stream(const std::vector<std::string_view>& texts, std::size_t count,
                                 std::mt19937_64& generator) {
    std::string stream;
    for (std::size_t index = 0; index < count; ++index) {
        stream +=
            texts[resilience::testing::random_between<std::size_t>(generator, 0, texts.size() - 1)];
    }
    return stream;
}

/// Returns the lines that a framer finds; a dropped line is "<too long>".
inline std::vector<std::string> lines_of(const std::vector<std::string_view>& pieces,
                                         std::size_t max_message_bytes) {
    LineFramer framer{{.max_message_bytes = max_message_bytes}};
    std::vector<std::string> found;
    const auto keep = [&found](const LineStep& step) {
        if (const auto* line = std::get_if<LineMessage>(&step)) {
            found.emplace_back(line->text);
        } else if (std::holds_alternative<LineTooLong>(step)) {
            found.emplace_back("<too long>");
        }
        return !std::holds_alternative<NeedBytes>(step);
    };
    for (const std::string_view piece : pieces) {
        framer.feed(piece);
        while (keep(framer.next())) {
        }
    }
    keep(framer.finish());
    return found;
}

/// Returns the events that a parser finds, as "type|data|id"; a dropped event is "<too long>". The
/// last text is the state at the end: "id|retry".
inline std::vector<std::string> events_of(const std::vector<std::string_view>& pieces,
                                          const SseParserOptions& options = {}) {
    SseParser parser{options};
    std::vector<std::string> found;
    for (const std::string_view piece : pieces) {
        parser.feed(piece);
        for (SseStep step = parser.next(); !std::holds_alternative<SseNeedBytes>(step);
             step = parser.next()) {
            if (const auto* event = std::get_if<SseEvent>(&step)) {
                found.push_back(std::string{event->type} + "|" + std::string{event->data} + "|" +
                                std::string{event->id});
            } else {
                found.emplace_back("<too long>");
            }
        }
    }
    const std::string retry = parser.retry() ? std::to_string(parser.retry()->count()) : "none";
    found.push_back(parser.last_event_id() + "|" + retry);
    return found;
}

}  // namespace holdfast::net
