#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "holdfast/resilience/expect.hpp"
#include "net/http/client/http_response_head.hpp"
#include "net/http/wire/http_body_decoder.hpp"

namespace holdfast::fuzz {

/// Reads an answer in pieces as the client does, and returns its parts as one text. The result is
/// the same for every size of the pieces.
inline std::string answer_in_pieces(std::string_view stream, std::size_t piece_bytes) {
    constexpr std::size_t kMaxHeadBytes = 512;
    net::HeadFinder finder{kMaxHeadBytes};
    std::size_t come_bytes = 0;
    std::size_t head_bytes = 0;
    while (head_bytes == 0) {
        if (come_bytes == stream.size()) {
            return "no head";
        }
        come_bytes = std::min(come_bytes + piece_bytes, stream.size());
        const auto found = finder.find(stream.substr(0, come_bytes));
        if (!found) {
            return "no head";  // the pieces decide how early this is known
        }
        head_bytes = found->value_or(0);
    }
    HOLDFAST_EXPECT(head_bytes <= kMaxHeadBytes);
    const auto head = net::parsed_response_head(stream.substr(0, head_bytes));
    if (!head) {
        return head.error().message;
    }
    std::string parts = std::to_string(head->status) + (head->keeps_alive ? " keep" : " close");
    for (const net::HttpHeader& header : head->headers.lines()) {
        HOLDFAST_EXPECT(header.value.find_first_of("\r\n") == std::string_view::npos);
        parts.append("\n").append(header.name).append("=").append(header.value);
    }
    parts += "\n\n";

    net::HttpBodyDecoder decoder{head->framing};
    std::size_t used_bytes = head_bytes;
    while (!decoder.is_done()) {
        const auto step = decoder.next(stream.substr(used_bytes, come_bytes - used_bytes));
        if (!step) {
            return parts + "\n" + step.error().message;
        }
        HOLDFAST_EXPECT(step->consumed_bytes <= come_bytes - used_bytes);
        HOLDFAST_EXPECT(step->body.size() <= step->consumed_bytes);
        parts += step->body;
        used_bytes += step->consumed_bytes;
        if (used_bytes == come_bytes && !decoder.is_done()) {
            if (come_bytes == stream.size()) {
                return parts + (decoder.may_end_here() ? "\nended" : "\ncut off");
            }
            come_bytes = std::min(come_bytes + piece_bytes, stream.size());
        }
    }
    return parts + "\ndone after " + std::to_string(used_bytes);
}

}  // namespace holdfast::fuzz
