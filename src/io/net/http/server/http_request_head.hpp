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
    std::string_view message = {};  ///< With static storage duration.
};

/// What a head says about the body and the connection.
struct HttpFraming {
    std::uint64_t content_length = 0;
    bool is_chunked = false;
    bool is_version_1_0 = false;
    bool keeps_alive = true;
    bool expects_continue = false;
    bool wants_websocket = false;
};

/// Finds the empty line that ends a head in bytes that arrive in pieces. Reads every byte once.
///
/// Thread-safety: none.
class HttpHeadEnd final {
public:
    /// Returns the length of the head with its empty line; nothing while it is incomplete. `bytes`
    /// must begin with the same bytes each time.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view bytes) noexcept;
    void reset() noexcept { scanned_ = line_start_ = 0; }

private:
    std::size_t scanned_ = 0;     // no line end between `line_start_` and this
    std::size_t line_start_ = 0;  // of the incomplete line
};

/// Parses a complete head with its empty line; the views of `request` point into it. Strict: if two
/// readers disagree about the end of a message, an attacker can smuggle requests. Lines end in CR
/// LF and are not folded, there is no blank before a colon, a length occurs once, in digits only,
/// and never together with a transfer encoding.
[[nodiscard]] resilience::Result<HttpFraming, HttpFault> parse_request_head(std::string_view head,
                                                                            HttpRequest& request);

}  // namespace holdfast::net
