#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "net/http/wire/http_body_decoder.hpp"
#include "net/http_message.hpp"
#include "net/net_error.hpp"

namespace holdfast::net {

/// A parsed head of an answer. The views of the headers point into the text.
struct HttpResponseHead {
    int status = 0;
    bool keeps_alive = true;  ///< Whether the connection may be used again after the body.
    BodyFraming framing = {};
    HttpHeaders headers = {};
};

/// Finds the end of a head in bytes that arrive in pieces; reads each byte once.
///
/// Thread-safety: none.
class HeadFinder final {
public:
    explicit HeadFinder(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}

    /// Returns its size with the empty line; nothing if more bytes are needed. `bytes` are all
    /// bytes so far. `bad_answer` as soon as they cannot be the beginning of an answer, or are too
    /// many.
    [[nodiscard]] NetResult<std::optional<std::size_t>> find(std::string_view bytes);
    void restart() noexcept { seen_bytes_ = 0; }

private:
    std::size_t max_bytes_;
    std::size_t seen_bytes_ = 0;
};

/// Parses strictly: rejects what two readers could interpret differently, such as two lengths, a
/// length together with chunks, folded lines, blanks before a colon and bare line feeds.
[[nodiscard]] NetResult<HttpResponseHead> parsed_response_head(std::string_view head);

}  // namespace holdfast::net
