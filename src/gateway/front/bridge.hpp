#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "downstream/dial_in.hpp"
#include "net/http_exchange.hpp"

namespace holdfast::front {

struct BridgeOptions {
    std::string path = {};                  ///< Where the server connects.
    std::string token = {};                 ///< The token that the server must present.
    std::vector<std::string> origins = {};  ///< Origins whose pages may connect.
    std::size_t max_message_bytes = std::size_t{64} * 1024 * 1024;
};

/// The path at which a server, such as a browser page that serves tools, connects to the gateway by
/// WebSocket. The server presents its token as `Authorization: Bearer …`, as `?token=…`, or as the
/// subprotocol `holdfast.token.…`, because a page cannot send headers. Access is checked before the
/// upgrade.
///
/// Thread-safety: immutable; called on the loops of the connections.
class Bridge final {
public:
    Bridge(BridgeOptions options, std::shared_ptr<downstream::DialIn> dial_in)
        : options_(std::move(options)), dial_in_(std::move(dial_in)) {}

    [[nodiscard]] const std::string& path() const noexcept { return options_.path; }
    /// Returns the reply to a request that must be rejected.
    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) const;
    /// Requires a request that was not rejected.
    void on_request(const std::shared_ptr<net::HttpExchange>& exchange) const;

private:
    [[nodiscard]] bool shows_token(const net::HttpRequest& request) const;

    const BridgeOptions options_;
    const std::shared_ptr<downstream::DialIn> dial_in_;  // shared with the downstream's opener
};

}  // namespace holdfast::front
