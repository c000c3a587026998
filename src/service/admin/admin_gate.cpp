#include "admin/admin_gate.hpp"

#include <utility>

#include "base/letter_case.hpp"
#include "base/secret.hpp"
#include "base/uri.hpp"
#include "jsonrpc/json_writer.hpp"
#include "net/bearer_token.hpp"

namespace holdfast::admin {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;

/// Whether the origin of a page equals the host and port of the request.
bool is_own_origin(std::string_view origin, std::string_view host) {
    const std::size_t scheme = origin.find("://");
    return scheme != std::string_view::npos &&
           base::lower_case(origin.substr(scheme + 3)) == base::lower_case(host);
}

bool is_reading(std::string_view method) {
    return method == "GET" || method == "HEAD";
}

/// The page itself has no secrets and asks for the token; the health endpoints are public.
bool is_public(std::string_view path) {
    return path == "/" || path == "/ui" || path.starts_with("/ui/") || path == "/healthz" ||
           path == "/readyz";
}

}  // namespace

std::string common_headers() {
    return "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
           "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
           "Cross-Origin-Resource-Policy: same-origin\r\n";
}

net::HttpReply error_reply(int status, std::string_view message) {
    jsonrpc::JsonWriter body;
    body.begin_object().key("error").text(message).end_object();
    return {.status = status, .headers = common_headers(), .body = body.take()};
}

net::HttpReply json_reply(std::string body, int status) {
    return {.status = status, .headers = common_headers(), .body = std::move(body)};
}

std::optional<net::HttpReply> AdminGate::refused(const net::HttpRequest& request,
                                                 bool changes_nothing) const {
    const auto host = request.headers.find("Host");
    if (!host || request.headers.count("Host") != 1 ||
        (options_.is_loopback &&
         !base::is_loopback_host(base::lower_case(base::without_port(*host))))) {
        return error_reply(kForbidden, "Unknown host name.");
    }
    const auto origin = request.headers.find("Origin");
    if (origin && !is_own_origin(*origin, *host)) {
        return error_reply(kForbidden, "Requests from other origins are not allowed.");
    }
    if (!is_public(request.path) && !has_token(request)) {
        net::HttpReply reply = error_reply(
            kUnauthorized, "Send Authorization: Bearer with the admin.token of the config.");
        reply.headers += "WWW-Authenticate: Bearer\r\n";
        return reply;
    }
    const std::string_view fault = is_public(request.path) ? "" : fault_in_peer(request);
    if (!fault.empty()) {
        return error_reply(kForbidden, fault);
    }
    if (!changes_nothing && !is_reading(request.method) &&
        request.headers.find(kControlHeader) != "1") {
        return error_reply(
            kForbidden, "Requests that change something need the header \"Holdfast-Control: 1\".");
    }
    return std::nullopt;
}

std::string_view AdminGate::fault_in_peer(const net::HttpRequest& request) const {
    if (!options_.token.empty() || !options_.only_user) {
        return {};
    }
    const auto peer = request.peer == nullptr ? std::nullopt : request.peer->user();
    if (!peer) {
        return "The gateway cannot find out which user of this machine sends the request; set "
               "admin.token in the config.";
    }
    if (peer->user != *options_.only_user && peer->user != 0) {
        return "This gateway belongs to another user of this machine; its owner can set "
               "admin.token in the config.";
    }
    // Root may do anything here, and the gateway may be unable to see root's processes.
    const bool is_root_over_user = peer->user == 0 && *options_.only_user != 0;
    if (peer->process && !is_root_over_user && options_.is_own_child &&
        options_.is_own_child(*peer->process)) {
        return "Programs that the gateway started must not control it.";
    }
    return {};
}

bool AdminGate::has_token(const net::HttpRequest& request) const {
    if (options_.token.empty()) {
        return true;
    }
    const auto shown = net::bearer_token(request);
    return shown && base::is_same_secret(options_.token, *shown);
}

}  // namespace holdfast::admin
