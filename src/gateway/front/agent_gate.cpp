#include "front/agent_gate.hpp"

#include <algorithm>

#include "base/letter_case.hpp"
#include "base/secret.hpp"
#include "base/uri.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/message.hpp"
#include "jsonrpc/message_writer.hpp"
#include "net/bearer_token.hpp"

namespace holdfast::front {
namespace {

net::HttpReply refusal(int status, std::string_view message) {
    jsonrpc::JsonWriter body;
    body.begin_object().key("error").text(message).end_object();
    return {.status = status, .body = body.take()};
}

/// To a gateway, which shows the message to its operator.
net::HttpReply own_request_refusal() {
    constexpr int kLoopDetected = 508;
    return {.status = kLoopDetected,
            .body = jsonrpc::error_text(
                {}, {.code = jsonrpc::kInvalidRequest,
                     .message = "This gateway is its own server: a server of its config has the "
                                "gateway's own address. Remove that server from the config."})};
}

}  // namespace

std::optional<net::HttpReply> AgentGate::refused(const net::HttpRequest& request) const {
    if (auto refusal = refused_source(request)) {
        return refusal;
    }
    if (!options_.own_id.empty() && request.headers.find("Holdfast-Gateway") == options_.own_id) {
        return own_request_refusal();
    }
    if (options_.tokens.empty()) {
        return refused_user(request);
    }
    if (token_of(request) == nullptr) {
        net::HttpReply reply = refusal(401,
                                       "Send Authorization: Bearer with a token that the "
                                       "config names in agents.tokens.");
        reply.headers = "WWW-Authenticate: Bearer\r\n";
        return reply;
    }
    return std::nullopt;
}

std::optional<net::HttpReply> AgentGate::refused_user(const net::HttpRequest& request) const {
    if (!options_.local || options_.local->principal_of(net::user_of(request))) {
        return std::nullopt;
    }
    if (options_.local->rule == base::LocalAccess::Rule::none) {
        return refusal(403,
                       "This gateway accepts nobody without a token; add a token to agents.tokens "
                       "in the config.");
    }
    if (!net::user_of(request)) {
        return refusal(403,
                       "The gateway cannot find out which user of this machine sends the request; "
                       "add a token to agents.tokens in the config.");
    }
    return refusal(403,
                   "This gateway belongs to another user of this machine; its owner can add you to "
                   "agents.local in the config.");
}

std::optional<net::HttpReply> AgentGate::refused_source(const net::HttpRequest& request) const {
    const auto host = request.headers.find("Host");
    if (!host || !is_known_host(*host)) {
        return refusal(403, "Unknown host name; add it to agents.hosts in the config.");
    }
    const auto origin = request.headers.find("Origin");
    if (origin && !is_allowed_origin(*origin, *host)) {
        return refusal(403, "Origin not allowed; add it to agents.origins in the config.");
    }
    return std::nullopt;
}

std::optional<std::string_view> AgentGate::allowed_origin(const net::HttpRequest& request) const {
    const auto origin = request.headers.find("Origin");
    const auto host = request.headers.find("Host").value_or("");
    return origin && is_allowed_origin(*origin, host) ? origin : std::nullopt;
}

std::optional<std::string> AgentGate::principal_of(const net::HttpRequest& request) const {
    if (!options_.tokens.empty()) {
        const AgentToken* token = token_of(request);
        return token != nullptr ? std::optional{token->principal} : std::nullopt;
    }
    return options_.local ? options_.local->principal_of(net::user_of(request))
                          : std::optional<std::string>{base::kUnknownUser};
}

const AgentToken* AgentGate::token_of(const net::HttpRequest& request) const {
    const auto shown = options_.tokens.empty() ? std::nullopt : net::bearer_token(request);
    if (!shown) {
        return nullptr;
    }
    const AgentToken* match = nullptr;
    for (const AgentToken& known : options_.tokens) {
        if (base::is_same_secret(known.token, *shown)) {
            match = &known;
        }
    }
    return match;
}

bool AgentGate::is_known_host(std::string_view host) const {
    if (options_.is_loopback && base::is_loopback_host(base::without_port(host))) {
        return true;  // the common spelling, without a conversion to lower case
    }
    const std::string name = base::lower_case(base::without_port(host));
    if (std::ranges::find(options_.hosts, name, base::lower_case) != options_.hosts.end()) {
        return true;
    }
    // Other listeners require tokens, so they accept any host name unless the config lists names.
    return options_.is_loopback ? base::is_loopback_host(name) : options_.hosts.empty();
}

bool AgentGate::is_allowed_origin(std::string_view origin, std::string_view host) const {
    if (std::ranges::find(options_.origins, origin) != options_.origins.end()) {
        return true;
    }
    // The gateway serves no pages here, so its own origin is sent only by programs.
    constexpr std::string_view kScheme = "http://";
    const bool is_own = options_.is_loopback && !host.empty() && origin.starts_with(kScheme) &&
                        base::equals_ignoring_case(origin.substr(kScheme.size()), host);
    if (is_own) {
        return true;
    }
    const std::size_t scheme = origin.find("://");
    return options_.is_loopback && options_.admits_local_pages &&
           scheme != std::string_view::npos &&
           base::is_loopback_host(base::lower_case(base::without_port(origin.substr(scheme + 3))));
}

}  // namespace holdfast::front
