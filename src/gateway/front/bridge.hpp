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
    std::string path = {};                  ///< Where it is waited for.
    std::string token = {};                 ///< What it has to show.
    std::vector<std::string> origins = {};  ///< Of pages that may connect.
    std::size_t max_message_bytes = std::size_t{64} * 1024 * 1024;
};

/// The path at which a server connects to us by WebSocket, such as a page in a browser that serves
/// tools. It shows its token as `Authorization: Bearer …`, as `?token=…`, or as the subprotocol
/// `holdfast.token.…`: a page cannot send headers. Who may come in is decided before the upgrade.
///
/// Thread-safety: immutable; called on the loops of the connections.
class Bridge final {
public:
    Bridge(BridgeOptions options, std::shared_ptr<downstream::DialIn> dial_in)
        : options_(std::move(options)), dial_in_(std::move(dial_in)) {}

    [[nodiscard]] const std::string& path() const noexcept { return options_.path; }
    /// What to answer instead, if the request must not pass.
    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) const;
    /// Requires a request that was not refused.
    void on_request(const std::shared_ptr<net::HttpExchange>& exchange) const;

private:
    [[nodiscard]] bool shows_token(const net::HttpRequest& request) const;

    const BridgeOptions options_;
    const std::shared_ptr<downstream::DialIn> dial_in_;  // shared with the downstream's opener
};

}  // namespace holdfast::front
