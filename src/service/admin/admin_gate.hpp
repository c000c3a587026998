#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::admin {

struct AdminGateOptions {
    /// Whether only this host can reach the listener: it is then called by a name of this host.
    bool is_loopback = true;
    std::string token = {};  ///< Secret; empty = none is asked for.
};

/// Decides who may talk to the admin listener. A web page of a stranger, in a browser on this
/// machine, can send requests here: so the name that we are called by must be ours, the page that
/// sends must be our own, and what changes something needs a header that no foreign page can send.
///
/// Thread-safety: immutable.
class AdminGate final {
public:
    explicit AdminGate(AdminGateOptions options) : options_(std::move(options)) {}

    /// What to answer instead, if the request must not pass.
    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) const;

private:
    [[nodiscard]] bool has_token(const net::HttpRequest& request) const;

    const AdminGateOptions options_;
};

/// What must be sent with every request that changes something.
inline constexpr std::string_view kControlHeader = "Holdfast-Control";

inline constexpr int kNotFound = 404;

/// `{"error":"…"}` with the headers that every answer has.
[[nodiscard]] net::HttpReply error_reply(int status, std::string_view words);
[[nodiscard]] net::HttpReply json_reply(std::string body, int status = 200);
/// For answers of any kind: not to be kept, not to be guessed at, not to be framed.
[[nodiscard]] std::string common_headers();

}  // namespace holdfast::admin
