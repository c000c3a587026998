#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::admin {

struct AdminGateOptions {
    /// Whether only this host can reach the listener; the Host header must then name this host.
    bool is_loopback = true;
    std::string token = {};  ///< Secret; empty = no token is required.
};

/// Decides who may talk to the admin listener. A foreign web page in a browser on this machine can
/// send requests here. Therefore the Host header must name the gateway, the Origin must be the
/// gateway's own page, and requests that change something need a header that no foreign page can
/// send.
///
/// Thread-safety: immutable.
class AdminGate final {
public:
    explicit AdminGate(AdminGateOptions options) : options_(std::move(options)) {}

    /// Returns the reply to a request that must be rejected.
    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) const;

private:
    [[nodiscard]] bool has_token(const net::HttpRequest& request) const;

    const AdminGateOptions options_;
};

/// Required in every request that changes something.
inline constexpr std::string_view kControlHeader = "Holdfast-Control";

inline constexpr int kNotFound = 404;

/// Returns `{"error":"…"}` with the common headers.
[[nodiscard]] net::HttpReply error_reply(int status, std::string_view message);
[[nodiscard]] net::HttpReply json_reply(std::string body, int status = 200);
/// The headers of every answer: forbid caching, content sniffing and framing.
[[nodiscard]] std::string common_headers();

}  // namespace holdfast::admin
