#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/local_access.hpp"
#include "net/http_message.hpp"

namespace holdfast::front {

/// A token that agents may present, and the principal that it identifies.
struct AgentToken {
    std::string principal = {};
    std::string token = {};
};

struct AgentGateOptions {
    std::vector<AgentToken> tokens = {};    ///< Empty = no token is required.
    bool is_loopback = true;                ///< Whether only this host can reach the listener.
    std::vector<std::string> hosts = {};    ///< Additional host names of the gateway.
    std::vector<std::string> origins = {};  ///< Origins whose pages may call.
    /// Whether all pages of this machine may, if the listener is on loopback.
    bool admits_local_pages = false;
    /// Which users may connect without a token; unset = everybody who can reach the listener.
    std::optional<base::LocalAccess> local = {};
    std::string own_id = {};  ///< In the header `Holdfast-Gateway` of the gateway's own requests.
};

/// Decides who may talk to an HTTP listener. A web page in a browser on this machine can reach a
/// loopback listener, so the stated source of a request is checked first.
///
/// Thread-safety: immutable.
class AgentGate final {
public:
    explicit AgentGate(AgentGateOptions options) : options_(std::move(options)) {}

    /// Returns the reply to a request that must be rejected.
    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) const;
    /// Checks only the source of the request, not the token.
    [[nodiscard]] std::optional<net::HttpReply> refused_source(
        const net::HttpRequest& request) const;
    /// Returns the origin of the web page that sends the request, if it is an allowed one; a view
    /// into the request.
    [[nodiscard]] std::optional<std::string_view> allowed_origin(
        const net::HttpRequest& request) const;
    /// Nothing if the request has no access; another gate may have accepted it before a reload.
    [[nodiscard]] std::optional<std::string> principal_of(const net::HttpRequest& request) const;

private:
    [[nodiscard]] std::optional<net::HttpReply> refused_user(const net::HttpRequest& request) const;
    [[nodiscard]] const AgentToken* token_of(const net::HttpRequest& request) const;
    [[nodiscard]] bool is_known_host(std::string_view host) const;
    [[nodiscard]] bool is_allowed_origin(std::string_view origin, std::string_view host) const;

    const AgentGateOptions options_;
};

}  // namespace holdfast::front
