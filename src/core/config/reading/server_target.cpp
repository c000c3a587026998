#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "config/reading/secret_table.hpp"
#include "config/reading/server_reader.hpp"
#include "config/reading/text_list.hpp"
#include "config/reading/value_checks.hpp"

namespace holdfast::config {
namespace {

enum class ServerKind : std::uint8_t { stdio, http, websocket, rest };

/// What the key `type` says.
struct TypeWord {
    ServerKind kind = ServerKind::stdio;
    HttpHint hint = HttpHint::none;
};

constexpr std::array<NamedChoice<TypeWord>, 8> kTypes = {{
    {.name = "stdio", .choice = {.kind = ServerKind::stdio}},
    {.name = "http", .choice = {.kind = ServerKind::http, .hint = HttpHint::http}},
    {.name = "streamable-http",
     .choice = {.kind = ServerKind::http, .hint = HttpHint::streamable_http}},
    {.name = "sse", .choice = {.kind = ServerKind::http, .hint = HttpHint::sse}},
    {.name = "ws", .choice = {.kind = ServerKind::websocket}},
    {.name = "rest", .choice = {.kind = ServerKind::rest}},
    {.name = "websocket", .choice = {.kind = ServerKind::websocket}},
    {.name = "streamableHttp",
     .choice = {.kind = ServerKind::http, .hint = HttpHint::streamable_http}},
}};

/// What the key `privileges` says: whether they are kept.
constexpr std::array<NamedChoice<bool>, 2> kPrivileges = {{
    {.name = "drop", .choice = false},
    {.name = "keep", .choice = true},
}};

/// A text that must be there and not be empty; nothing after a fault.
std::optional<std::string> read_required(ObjectReader& entry, std::string_view key) {
    const Node* value = entry.find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (value->kind != NodeKind::text) {
        entry.refuse_kind(*value, key, "text in double quotes");
        return std::nullopt;
    }
    const std::string_view text = scalar_text(*value);
    if (text.empty()) {
        entry.refuse(*value, key, "must not be empty");
        return std::nullopt;
    }
    return std::string{text};
}

/// The same with a check of its value.
template <class Check>
std::optional<std::string> read_checked(ObjectReader& entry, std::string_view key, Check check) {
    auto text = read_required(entry, key);
    if (text) {
        const std::string_view fault = check(*text);
        if (!fault.empty()) {
            entry.refuse(*entry.find(key), key, fault);
            return std::nullopt;
        }
    }
    return text;
}

std::optional<ServerTarget> read_stdio(ObjectReader& entry) {
    auto command = read_required(entry, "command");
    StdioTarget target;
    entry.read_texts("args", target.args);
    target.env = read_secret_table(
        entry, "env", [](std::string_view name, std::string_view) { return variable_fault(name); });
    entry.read_text("cwd", target.cwd);
    target.keeps_privileges = entry.read_choice<bool>("privileges", kPrivileges).value_or(false);
    if (!command) {
        return std::nullopt;
    }
    target.command = std::move(*command);
    return target;
}

std::optional<ServerTarget> read_http(ObjectReader& entry, HttpHint hint) {
    auto url = read_checked(entry, "url", http_url_fault);
    auto headers = read_secret_table(entry, "headers", header_fault);
    if (!url) {
        return std::nullopt;
    }
    return HttpTarget{.url = std::move(*url), .headers = std::move(headers), .hint = hint};
}

std::optional<ServerTarget> read_websocket(ObjectReader& entry) {
    auto url = read_checked(entry, "url", websocket_url_fault);
    auto headers = read_secret_table(entry, "headers", header_fault);
    if (!url) {
        return std::nullopt;
    }
    return WebSocketTarget{.url = std::move(*url), .headers = std::move(headers)};
}

std::optional<ServerTarget> read_listener(ObjectReader& entry) {
    auto path = read_checked(entry, "listen", listen_path_fault);
    WebSocketListenTarget target;
    if (auto token = read_required(entry, "token")) {
        target.token = std::move(*token);
    }
    read_checked_texts(entry, "origins", target.origins, origin_fault);
    if (!path) {
        return std::nullopt;
    }
    target.path = std::move(*path);
    return target;
}

/// Which of the keys that say where a server is are there; their values may still be wrong.
struct Addresses {
    bool command = false;
    bool url = false;
    bool listen = false;
};

/// Why the addresses do not fit the type; empty when they do. Without a type any one will do.
std::string_view address_fault(const Addresses& has, const std::optional<TypeWord>& type) {
    if (has.command && has.url) {
        return "has both \"command\" and \"url\"; remove one of them";
    }
    if (has.listen && (has.command || has.url)) {
        return "has \"listen\" and another address; remove one of them";
    }
    if (!type) {
        return has.command || has.url || has.listen
                   ? std::string_view{}
                   : "has neither \"command\" nor \"url\"; add one of them";
    }
    switch (type->kind) {
        case ServerKind::stdio:
            return has.command ? std::string_view{}
                               : "a server of type \"stdio\" needs \"command\"";
        case ServerKind::http:
            return has.url ? std::string_view{} : "a server of this type needs \"url\"";
        case ServerKind::websocket:
            return has.url || has.listen
                       ? std::string_view{}
                       : "a server of type \"ws\" needs \"url\", or \"listen\" when it connects "
                         "to the gateway";
        case ServerKind::rest:
            break;
    }
    return {};
}

ServerKind kind_of(const Addresses& has, const Node& entry) {
    if (has.command) {
        return ServerKind::stdio;
    }
    const bool is_websocket = has.listen || is_websocket_url(entry.find("url")->text);
    return is_websocket ? ServerKind::websocket : ServerKind::http;
}

}  // namespace

std::optional<ServerTarget> read_target(ObjectReader& entry) {
    const Node& object = entry.object();
    const auto type = entry.read_choice<TypeWord>("type", kTypes);
    if (!type && object.find("type") != nullptr) {
        return std::nullopt;
    }
    const Addresses has = {.command = object.find("command") != nullptr,
                           .url = object.find("url") != nullptr,
                           .listen = object.find("listen") != nullptr};
    const std::string_view fault = address_fault(has, type);
    if (!fault.empty()) {
        entry.refuse_together({"type"}, fault);
        return std::nullopt;
    }
    const ServerKind kind = type ? type->kind : kind_of(has, object);
    switch (kind) {
        case ServerKind::stdio:
            return read_stdio(entry);
        case ServerKind::http:
            return read_http(entry, type ? type->hint : HttpHint::none);
        case ServerKind::websocket:
            return has.listen ? read_listener(entry) : read_websocket(entry);
        case ServerKind::rest:
            return RestTarget{.entry = object};
    }
    return std::nullopt;
}

}  // namespace holdfast::config
