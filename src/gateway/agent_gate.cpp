#include "gateway/agent_gate.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/secret.hpp"
#include "gateway/bearer_token.hpp"

namespace holdfast::gateway {
namespace {

constexpr std::array<std::string_view, 3> kLoopbackNames{"localhost", "127.0.0.1", "[::1]"};

std::string lower(std::string_view text) {
    std::string result{text};
    std::ranges::transform(result, result.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return result;
}

// "[::1]:80" and "localhost:80" without their ports.
std::string_view without_port(std::string_view host) {
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.rfind(':');
    const bool has_port =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    return has_port ? host.substr(0, colon) : host;
}

bool is_loopback_name(std::string_view host) {
    return std::ranges::find(kLoopbackNames, host) != kLoopbackNames.end();
}

net::HttpReply refusal(int status, std::string_view words) {
    return {.status = status, .body = R"({"error":")" + std::string{words} + "\"}"};
}

}  // namespace

std::optional<net::HttpReply> AgentGate::refused(const net::HttpRequest& request) const {
    const auto host = request.headers.find("Host");
    if (!host || !is_known_host(*host)) {
        return refusal(403, "This host name is not one of ours; see agents.hosts in the config.");
    }
    const auto origin = request.headers.find("Origin");
    if (origin && !is_allowed_origin(*origin)) {
        return refusal(403, "Pages of this origin may not call; see agents.origins in the config.");
    }
    if (!options_.tokens.empty() && token_of(request) == nullptr) {
        net::HttpReply reply = refusal(401,
                                       "Send Authorization: Bearer with a token that the "
                                       "config names in agents.tokens.");
        reply.headers = "WWW-Authenticate: Bearer\r\n";
        return reply;
    }
    return std::nullopt;
}

std::string AgentGate::principal_of(const net::HttpRequest& request) const {
    const AgentToken* token = token_of(request);
    return token != nullptr ? token->principal : "anonymous";
}

const AgentToken* AgentGate::token_of(const net::HttpRequest& request) const {
    const auto shown = bearer_token(request);
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
    if (options_.is_loopback && is_loopback_name(without_port(host))) {
        return true;  // as nearly everybody writes it
    }
    const std::string name = lower(without_port(host));
    if (std::ranges::find(options_.hosts, name, lower) != options_.hosts.end()) {
        return true;
    }
    // Beyond loopback there are tokens, and any name may lead here unless the config lists them.
    return options_.is_loopback ? is_loopback_name(name) : options_.hosts.empty();
}

bool AgentGate::is_allowed_origin(std::string_view origin) const {
    if (std::ranges::find(options_.origins, origin) != options_.origins.end()) {
        return true;
    }
    const std::size_t scheme = origin.find("://");
    return options_.is_loopback && scheme != std::string_view::npos &&
           is_loopback_name(lower(without_port(origin.substr(scheme + 3))));
}

}  // namespace holdfast::gateway
