#include <boost/asio/post.hpp>
#include <memory>
#include <string>
#include <utility>

#include "admin/admin_handler.hpp"
#include "admin/admin_paths.hpp"
#include "base/uri.hpp"
#include "jsonrpc/json_writer.hpp"

// The operator commands of `AdminHandler`.

namespace holdfast::admin {
namespace {

using net::HttpReply;

constexpr int kConflict = 409;

HttpReply reply_of(const ControlResult& result) {
    switch (result.end) {
        case ControlResult::End::unknown_name:
            return error_reply(kNotFound, result.message);
        case ControlResult::End::conflict:
            return error_reply(kConflict, result.message);
        case ControlResult::End::done:
            break;
    }
    jsonrpc::JsonWriter out;
    out.begin_object().key("ok").boolean(true).key("message").text(result.message);
    return json_reply(out.end_object().take());
}

/// The part of `/api/servers/NAME/ACTION` after the prefix.
struct Command {
    std::string name = {};
    std::string action = {};
};

Command command_in(std::string_view rest) {
    const std::size_t slash = rest.rfind('/');
    if (slash == std::string_view::npos) {
        return {};
    }
    // A circuit's name may itself contain a slash.
    return {.name = base::percent_decoded(rest.substr(0, slash)),
            .action = std::string{rest.substr(slash + 1)}};
}

/// Sends a result, which may come from any thread, on the exchange's loop.
ControlDone reply_later(std::shared_ptr<net::HttpExchange> exchange) {
    const auto executor = exchange->loop().executor;
    return [exchange = std::move(exchange), executor](const ControlResult& result) {
        boost::asio::post(executor, [exchange, result] { exchange->reply(reply_of(result)); });
    };
}

}  // namespace

void AdminHandler::command_circuit(const Exchange& exchange) const {
    const Command command = command_in(behind(exchange->request().path, kCircuits));
    if (!Control::is_circuit_action(command.action)) {
        exchange->reply(error_reply(
            kNotFound, "Unknown action; use reset, force-open, disable, metrics-only or normal."));
        return;
    }
    exchange->reply(reply_of(
        parts_.control->circuit(command.name, command.action, exchange->loop().timekeeper->now())));
}

void AdminHandler::command_server(const Exchange& exchange) const {
    const Command command = command_in(behind(exchange->request().path, kServers));
    if (!Control::is_server_action(command.action)) {
        exchange->reply(error_reply(kNotFound, "Unknown action; use restart, pause or resume."));
        return;
    }
    parts_.control->server(command.name, command.action, reply_later(exchange));
}

void AdminHandler::drain(const Exchange& exchange) const {
    exchange->reply(reply_of(parts_.control->drain()));
}

void AdminHandler::reload(const Exchange& exchange) const {
    parts_.control->reload(reply_later(exchange));
}

}  // namespace holdfast::admin
