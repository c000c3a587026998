#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::admin {

struct AdminGateOptions {
    /// Whether only this host can reach the listener; the Host header must then name this host.
    bool is_loopback = true;
    std::string token = {};  ///< Secret; empty = no token is required.
    /// Without a token, only this user and root may connect; unset = everybody who can.
    std::optional<uid_t> only_user = std::nullopt;
    /// Whether a process on a Unix socket is one that the gateway started, or may be; unset = no.
    std::function<bool(pid_t)> is_own_child = {};
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

    /// Returns the reply to a request that must be rejected. `changes_nothing`: the path does not
    /// take the method, so that the answer is a 405 and no special header is needed.
    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request,
                                                        bool changes_nothing = false) const;

private:
    /// What is wrong with the user or the process that sends the request; empty if nothing is.
    [[nodiscard]] std::string_view fault_in_peer(const net::HttpRequest& request) const;
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
