#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "net/http_message.hpp"

namespace holdfast::net {

/// Why a request is refused: the status, and a sentence that says what to change.
struct HttpFault {
    int status = 400;
    std::string_view message = {};  ///< Of static storage.
};

/// What a head says about the body that follows and about the connection.
struct HttpFraming {
    std::uint64_t content_length = 0;
    bool is_chunked = false;
    bool is_version_1_0 = false;
    bool keeps_alive = true;
    bool expects_continue = false;
    bool wants_websocket = false;
};

/// Finds the empty line that ends a head, in bytes that come in pieces. Every byte is looked at
/// once.
///
/// Thread-safety: none.
class HttpHeadEnd final {
public:
    /// The length of the head with its empty line; none while it is not complete. `bytes` begin
    /// with the same bytes each time.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view bytes) noexcept;
    void reset() noexcept { scanned_ = line_start_ = 0; }

private:
    std::size_t scanned_ = 0;     // no line end between `line_start_` and this
    std::size_t line_start_ = 0;  // of the line that is not complete
};

/// Reads a whole head, up to and with its empty line, and makes the views of `request` point into
/// it. Strict, since two readers of one text who disagree about where it ends let a third party
/// smuggle requests: lines end in CR LF and are not folded, no blank stands before a colon, a
/// length is given once and in digits only, and never beside a transfer encoding.
[[nodiscard]] resilience::Result<HttpFraming, HttpFault> parse_request_head(std::string_view head,
                                                                            HttpRequest& request);

}  // namespace holdfast::net
