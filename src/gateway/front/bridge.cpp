#include "front/bridge.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <string_view>
#include <utility>

#include "base/http_token.hpp"
#include "base/secret.hpp"
#include "base/uri.hpp"
#include "holdfast/resilience/expect.hpp"
#include "net/bearer_token.hpp"
#include "net/expect_no_exception.hpp"

namespace holdfast::front {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kTokenProtocol = "holdfast.token.";
constexpr std::string_view kMcpProtocol = "mcp";

/// Calls `use` with each subprotocol that the client offers, until it returns true.
template <class Use>
bool any_subprotocol(const net::HttpRequest& request, Use use) {
    std::string_view offered = request.headers.find("Sec-WebSocket-Protocol").value_or("");
    while (!offered.empty()) {
        if (use(base::take_list_part(offered))) {
            return true;
        }
    }
    return false;
}

/// Selects the subprotocol. Browsers fail the connection unless one of their offers is selected.
std::string agreed_subprotocol(const net::HttpRequest& request) {
    std::string agreed;
    any_subprotocol(request, [&agreed](std::string_view offered) {
        if (agreed.empty() || offered == kMcpProtocol) {
            agreed = offered;
        }
        return offered == kMcpProtocol;
    });
    return agreed;
}

asio::awaitable<void> welcome(
    asio::awaitable<net::NetResult<std::unique_ptr<net::MessageChannel>>> accepted,
    std::shared_ptr<downstream::DialIn> dial_in) {
    auto channel = co_await std::move(accepted);
    if (channel) {
        dial_in->on_dialled_in(std::move(*channel));
    }
}

}  // namespace

std::optional<net::HttpReply> Bridge::refused(const net::HttpRequest& request) const {
    const auto origin = request.headers.find("Origin");
    if (origin && std::ranges::find(options_.origins, *origin) == options_.origins.end()) {
        return net::HttpReply{
            .status = 403,
            .body = R"({"error":"Origin not allowed; add it to the server's \"origins\" )"
                    R"(in the config."})"};
    }
    if (!shows_token(request)) {
        return net::HttpReply{
            .status = 401,
            .headers = "WWW-Authenticate: Bearer\r\n",
            .body = R"({"error":"Send the server's token from the config as ?token=, as the )"
                    R"(subprotocol holdfast.token., or as Authorization: Bearer."})"};
    }
    return std::nullopt;
}

bool Bridge::shows_token(const net::HttpRequest& request) const {
    const auto is_token = [this](std::string_view shown) {
        return base::is_same_secret(options_.token, shown);
    };
    if (const auto bearer = net::bearer_token(request); bearer && is_token(*bearer)) {
        return true;
    }
    if (const auto coded = base::query_value(request.target, "token");
        coded && is_token(base::percent_decoded(*coded))) {
        return true;
    }
    return any_subprotocol(request, [&](std::string_view offered) {
        return offered.starts_with(kTokenProtocol) &&
               is_token(offered.substr(kTokenProtocol.size()));
    });
}

void Bridge::on_request(const std::shared_ptr<net::HttpExchange>& exchange) const {
    if (!exchange->wants_websocket()) {
        exchange->reply({.status = 426,
                         .headers = "Upgrade: websocket\r\n",
                         .body = R"({"error":"Connect by WebSocket."})"});
        return;
    }
    // The channel lives on its downstream's loop, which may differ from the connection's.
    auto accepted =
        exchange->accept_websocket({.subprotocol = agreed_subprotocol(exchange->request()),
                                    .loop = dial_in_->home(),
                                    .max_message_bytes = options_.max_message_bytes});
    asio::co_spawn(dial_in_->home().executor, welcome(std::move(accepted), dial_in_),
                   net::expect_no_exception);
}

}  // namespace holdfast::front
