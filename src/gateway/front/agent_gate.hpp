#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_message.hpp"

namespace holdfast::front {

/// A token that agents may show, and the name of whoever shows it.
struct AgentToken {
    std::string principal = {};
    std::string token = {};
};

struct AgentGateOptions {
    std::vector<AgentToken> tokens = {};  ///< Empty = no token is asked for.
    bool is_loopback = true;  ///< Whether the listener can be reached from this host only.
    std::vector<std::string> hosts = {};    ///< Further names by which we may be called.
    std::vector<std::string> origins = {};  ///< Further web pages that may call us.
};

/// Decides who may talk to an HTTP listener at all. A web page in a browser on this machine can
/// reach a loopback listener, so where a request says that it comes from is checked first.
///
/// Thread-safety: immutable.
class AgentGate final {
public:
    explicit AgentGate(AgentGateOptions options) : options_(std::move(options)) {}

    /// What to answer instead, if the request must not pass.
    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) const;
    /// The same without a look at the token: only where the request comes from.
    [[nodiscard]] std::optional<net::HttpReply> refused_source(
        const net::HttpRequest& request) const;
    /// The origin of the web page that sends the request, if there is one that may call; a view
    /// into the request.
    [[nodiscard]] std::optional<std::string_view> allowed_origin(
        const net::HttpRequest& request) const;
    /// Requires a request that was not refused.
    [[nodiscard]] std::string principal_of(const net::HttpRequest& request) const;

private:
    [[nodiscard]] const AgentToken* token_of(const net::HttpRequest& request) const;
    [[nodiscard]] bool is_known_host(std::string_view host) const;
    [[nodiscard]] bool is_allowed_origin(std::string_view origin) const;

    const AgentGateOptions options_;
};

}  // namespace holdfast::front
