#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "holdfast/resilience/expect.hpp"
#include "net/http/server/http_request_head.hpp"
#include "net/http/wire/chunk_decoder.hpp"

namespace holdfast::fuzz {

inline constexpr std::size_t kMaxBodyBytes = 64;

/// Returns the parts of one request as text; the same for any pieces.
inline std::string read_request(std::string_view stream, std::size_t piece_bytes) {
    using net::ChunkDecoder;
    net::HttpHeadEnd head_end;
    std::size_t seen_bytes = 0;
    std::optional<std::size_t> head_bytes;
    while (!head_bytes && seen_bytes < stream.size()) {
        seen_bytes = std::min(seen_bytes + piece_bytes, stream.size());
        head_bytes = head_end.find(stream.substr(0, seen_bytes));
    }
    if (!head_bytes) {
        return "no head";
    }
    net::HttpRequest request;
    const auto framing = net::parse_request_head(stream.substr(0, *head_bytes), request);
    if (!framing) {
        HOLDFAST_EXPECT(framing.error().status >= 400);
        return "refused " + std::to_string(framing.error().status);
    }
    std::string text{request.method};
    (text += ' ') += request.path;
    for (const net::HttpHeader& line : request.headers.lines()) {
        // No form of a line end may get through.
        HOLDFAST_EXPECT(line.value.find_first_of("\r\n") == std::string_view::npos);
        HOLDFAST_EXPECT(!line.name.empty());
        ((text += '\n') += line.name) += line.value;
    }
    HOLDFAST_EXPECT(!framing->is_chunked || framing->content_length == 0);
    if (!framing->is_chunked) {
        return text;
    }
    ChunkDecoder decoder{kMaxBodyBytes};
    std::string body;
    std::string_view rest = stream.substr(*head_bytes);
    ChunkDecoder::Step step;
    std::size_t consumed_bytes = 0;
    while (!rest.empty() && step.progress == ChunkDecoder::Progress::needs_bytes) {
        const std::string_view piece = rest.substr(0, piece_bytes);
        step = decoder.feed(piece, body);
        HOLDFAST_EXPECT(step.consumed_bytes <= piece.size());
        HOLDFAST_EXPECT(body.size() <= kMaxBodyBytes);
        consumed_bytes += step.consumed_bytes;
        rest.remove_prefix(piece.size());
    }
    return text + '\n' + body + '\n' + std::to_string(static_cast<int>(step.progress)) + ' ' +
           std::to_string(consumed_bytes);
}

}  // namespace holdfast::fuzz
