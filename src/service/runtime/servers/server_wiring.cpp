#include "runtime/servers/server_wiring.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>
#include <variant>

#include "config/node_json.hpp"
#include "config/package_runner.hpp"
#include "downstream/child_source.hpp"
#include "downstream/http_opener.hpp"
#include "downstream/stream_opener.hpp"
#include "downstream/websocket_opener.hpp"
#include "net/http_client.hpp"
#include "platform/environment.hpp"
#include "policy/options.hpp"
#include "rest/rest_opener.hpp"
#include "runtime/gateway_chain.hpp"
#include "runtime/servers/npx_cache.hpp"
#include "runtime/servers/npx_opener.hpp"
#include "runtime/version.hpp"

namespace holdfast::runtime {
namespace {

using config::NamedText;
using downstream::LinkOpener;
using OpenerResult = resilience::Result<std::unique_ptr<LinkOpener>, WiringFault>;

// The variables that a program needs to find itself and its user. A server gets everything else by
// name in its `env`, because the secrets of one server are not for all of them. The runtime folder
// has the sockets of the gateway and of the user's other programs.
constexpr std::array<std::string_view, 22> kInherited{
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "NODE_EXTRA_CA_CERTS",
    kChainVariable,
};

// A program that is killed while it installs another one leaves a broken package behind, which then
// fails at every start. Together these waits are shorter than those of a shutdown.
constexpr process::StopOptions kInstallerStop{.close_wait = std::chrono::seconds{2},
                                              .terminate_wait = std::chrono::seconds{20},
                                              .kill_wait = std::chrono::seconds{2}};

bool is_container_program(std::string_view program) {
    return program == "docker" || program == "podman" || program == "nerdctl";
}

std::vector<std::string> environment_of(const std::vector<NamedText>& configured) {
    std::vector<std::string> environment;
    for (const std::string_view name : kInherited) {
        const bool is_replaced =
            std::ranges::find(configured, name, &NamedText::name) != configured.end();
        const auto value = platform::environment_variable(std::string{name});
        if (value && !is_replaced) {
            environment.push_back(std::string{name} + "=" + *value);
        }
    }
    for (const NamedText& variable : configured) {
        environment.push_back(variable.name + "=" + variable.value);
    }
    return environment;
}

std::string header_lines(const std::vector<NamedText>& headers) {
    std::string lines;
    for (const NamedText& header : headers) {
        lines.append(header.name).append(": ").append(header.value).append("\r\n");
    }
    return lines;
}

/// By which this gateway recognises its own requests.
std::string own_header_line() {
    return std::string{kGatewayHeader} + ": " + own_gateway_id() + "\r\n";
}

/// Makes the opener for each kind of server.
struct Wiring {
    const ResolvedServer& plan;
    const config::Limits& limits;
    const process::Guardian& guardian;
    const std::shared_ptr<downstream::DialIn> dial_in;
    const std::function<void(const std::string&)>& warn;
    const downstream::JunkRule junk;

    OpenerResult operator()(const config::StdioTarget& target) const {
        downstream::ChildSourceOptions source;
        source.spec.arguments.push_back(target.command);
        source.spec.arguments.insert(source.spec.arguments.end(), target.args.begin(),
                                     target.args.end());
        source.spec.environment = environment_of(with_secrets(target.env));
        source.spec.directory = target.cwd;
        source.spec.may_gain_privileges = target.keeps_privileges;
        source.child.max_line_bytes = limits.downstream_message_bytes;
        source.child.stderr_ring_bytes = limits.stderr_bytes;
        const bool may_install = config::package_runner_of(target).has_value();
        if (may_install) {
            source.child.stop = kInstallerStop;
        }
        const auto packages = npx_packages(target);
        const std::string folder =
            packages ? npx_folder(*packages, source.spec.environment) : std::string{};
        auto opener =
            stream_opener(downstream::make_child_source(guardian, std::move(source)), may_install);
        if (!folder.empty()) {
            return std::unique_ptr<LinkOpener>{
                std::make_unique<NpxOpener>(std::move(*opener), folder)};
        }
        return opener;
    }

    OpenerResult operator()(const config::HttpTarget& target) const {
        auto url = net::parsed_url(target.url);
        if (!url) {
            return WiringFault{"its url cannot be used: " + url.error().message};
        }
        downstream::HttpOpenerOptions options{.url = std::move(*url), .link = link_options()};
        options.link.headers = own_header_line() + header_lines(target.headers);
        options.link.credentials = plan.credentials.headers;
        if (target.hint == config::HttpHint::sse) {
            options.transport = downstream::HttpTransport::sse;
        } else if (target.hint == config::HttpHint::streamable_http) {
            options.transport = downstream::HttpTransport::streamable;
        }
        auto opener = downstream::make_http_opener(std::move(options), {});
        return opener ? OpenerResult{std::move(*opener)}
                      : OpenerResult{WiringFault{opener.error().message}};
    }

    OpenerResult operator()(const config::WebSocketTarget& target) const {
        auto url = net::parsed_url(target.url);
        if (!url) {
            return WiringFault{"its url cannot be used: " + url.error().message};
        }
        downstream::WebSocketOpenerOptions options{
            .target = {.url = std::move(*url),
                       .headers = own_header_line() + header_lines(target.headers)},
            .socket = {.max_message_bytes = limits.downstream_message_bytes},
            .link = link_options()};
        options.link.credentials = plan.credentials.headers;
        return std::unique_ptr<LinkOpener>{
            std::make_unique<downstream::WebSocketOpener>(std::move(options))};
    }

    OpenerResult operator()(const config::WebSocketListenTarget& /*target*/) const {
        return stream_opener(dial_in->source());
    }

    OpenerResult operator()(const config::RestTarget& /*target*/) const {
        auto opener = rest::make_rest_opener(*plan.rest, warn);
        return opener ? OpenerResult{std::move(*opener)}
                      : OpenerResult{WiringFault{opener.error().message}};
    }

    /// A credential overrides a variable with the same name.
    [[nodiscard]] std::vector<NamedText> with_secrets(std::vector<NamedText> variables) const {
        for (const NamedText& secret : plan.credentials.variables) {
            std::erase_if(variables, [&](const NamedText& one) { return one.name == secret.name; });
            variables.push_back(secret);
        }
        return variables;
    }

    [[nodiscard]] OpenerResult stream_opener(downstream::ChannelSource source,
                                             bool stops_failed_starts = false) const {
        return std::unique_ptr<LinkOpener>{std::make_unique<downstream::StreamOpener>(
            std::move(source),
            downstream::StreamOpenerOptions{.link = {.link = link_options()},
                                            .stops_failed_starts = stops_failed_starts})};
    }

    [[nodiscard]] downstream::LinkOptions link_options() const {
        return {.client_info = own_implementation(),
                .max_message_bytes = limits.downstream_message_bytes,
                .junk = junk};
    }
};

/// Returns what identifies the address of a server. Each part ends in a zero byte, so that parts
/// cannot be confused.
struct TargetParts {
    std::string operator()(const config::StdioTarget& target) const {
        std::string parts = part("stdio") + part(target.command) + part(target.cwd);
        for (const std::string& argument : target.args) {
            parts += part(argument);
        }
        return parts;
    }
    std::string operator()(const config::HttpTarget& target) const {
        return part("http") + part(target.url);
    }
    std::string operator()(const config::WebSocketTarget& target) const {
        return part("websocket") + part(target.url);
    }
    std::string operator()(const config::WebSocketListenTarget& target) const {
        return part("websocket listen") + part(target.path);
    }
    std::string operator()(const config::RestTarget& target) const {
        return part("rest") + part(config::json_of(target.entry));
    }

    static std::string part(const std::string& text) { return text + '\0'; }
};

}  // namespace

std::shared_ptr<downstream::DialIn> dial_in_of(const config::ServerConfig& server,
                                               const net::OwningLoop& home) {
    const auto* target = std::get_if<config::WebSocketListenTarget>(&server.target);
    return target == nullptr ? nullptr : std::make_shared<downstream::DialIn>(home, target->path);
}

std::shared_ptr<const front::Bridge> bridge_of(const config::ServerConfig& server,
                                               const config::Limits& limits,
                                               std::shared_ptr<downstream::DialIn> dial_in) {
    const auto& target = std::get<config::WebSocketListenTarget>(server.target);
    return std::make_shared<const front::Bridge>(
        front::BridgeOptions{.path = target.path,
                             .token = target.token,
                             .origins = target.origins,
                             .max_message_bytes = limits.downstream_message_bytes},
        std::move(dial_in));
}

OpenerResult opener_of(const config::ServerConfig& server, const ResolvedServer& plan,
                       const WiringDeps& parts) {
    return std::visit(Wiring{.plan = plan,
                             .limits = parts.limits,
                             .guardian = parts.guardian,
                             .dial_in = parts.dial_in,
                             .warn = parts.warn,
                             .junk = parts.junk},
                      server.target);
}

std::optional<mcp::Era> required_era(config::EraChoice era) {
    switch (era) {
        case config::EraChoice::legacy:
            return mcp::Era::legacy;
        case config::EraChoice::modern:
            return mcp::Era::modern;
        case config::EraChoice::automatic:
            break;
    }
    return std::nullopt;
}

/// Where legacy agents find the legacy era of a server that is used in the modern one. A program
/// that is started once more is shared like the first.
downstream::LegacyLeg legacy_leg_of(const config::ServerConfig& server) {
    const bool is_stream = std::holds_alternative<config::StdioTarget>(server.target) ||
                           std::holds_alternative<config::WebSocketTarget>(server.target);
    const bool is_http = std::holds_alternative<config::HttpTarget>(server.target);
    if (server.era != config::EraChoice::automatic || (!is_stream && !is_http)) {
        return downstream::LegacyLeg::none;
    }
    const auto session = server.session.value_or(is_stream ? config::SessionScope::shared
                                                           : config::SessionScope::per_agent);
    return session == config::SessionScope::shared ? downstream::LegacyLeg::shared
                                                   : downstream::LegacyLeg::per_agent;
}

downstream::DownstreamOptions downstream_options_of(const config::ServerConfig& server,
                                                    const ResolvedServer& plan,
                                                    const config::ReconnectOptions& reconnect) {
    downstream::DownstreamOptions options;
    options.name = server.name;
    if (server.session) {
        options.session = *server.session == config::SessionScope::shared
                              ? downstream::SessionMode::shared
                              : downstream::SessionMode::per_agent;
    }
    // A session belongs to the credentials with which it was opened. An HTTP API has no session.
    // Over WebSocket the credentials belong to the connection.
    if (!plan.credentials.agent_headers.empty() && !plan.rest) {
        options.session = std::holds_alternative<config::WebSocketTarget>(server.target)
                              ? downstream::SessionMode::connection_per_agent
                              : downstream::SessionMode::per_agent;
    }
    options.required_era = required_era(server.era);
    options.legacy_leg = legacy_leg_of(server);
    options.reconnect = policy::reconnect_backoff(reconnect);
    options.reconnect_attempts = static_cast<std::uint32_t>(reconnect.attempts);
    if (std::holds_alternative<config::WebSocketListenTarget>(server.target)) {
        options.waits_for_peer = true;
        options.session = downstream::SessionMode::shared;  // there is one connection at a time
    }
    if (const auto* program = std::get_if<config::StdioTarget>(&server.target)) {
        options.starts_process = true;
        if (const auto runner = config::package_runner_of(*program)) {
            // A container runs where its processes cannot be seen.
            options.package = is_container_program(runner->program) ? "" : runner->package;
            options.stop_wait = kInstallerStop.close_wait + kInstallerStop.terminate_wait +
                                kInstallerStop.kill_wait + std::chrono::seconds{1};
        }
    }
    options.checks_tool_headers = std::holds_alternative<config::HttpTarget>(server.target);
    return options;
}

std::string_view transport_name(const config::ServerConfig& server) {
    struct Namer {
        std::string_view operator()(const config::StdioTarget& /*target*/) const { return "stdio"; }
        std::string_view operator()(const config::HttpTarget& target) const {
            return target.hint == config::HttpHint::sse ? "sse" : "http";
        }
        std::string_view operator()(const config::WebSocketTarget& /*target*/) const {
            return "ws";
        }
        std::string_view operator()(const config::WebSocketListenTarget& /*target*/) const {
            return "bridge";
        }
        std::string_view operator()(const config::RestTarget& /*target*/) const { return "rest"; }
    };
    return std::visit(Namer{}, server.target);
}

std::string command_identity_of(const config::ServerConfig& server) {
    const auto* target = std::get_if<config::StdioTarget>(&server.target);
    return target == nullptr ? std::string{} : TargetParts{}(*target);
}

std::string identity_of(const config::ServerConfig& server, const std::string& config_file) {
    std::error_code error;
    const std::filesystem::path file = std::filesystem::absolute(config_file, error);
    return TargetParts::part(error ? config_file : file.lexically_normal().string()) +
           TargetParts::part(server.name) + std::visit(TargetParts{}, server.target);
}

}  // namespace holdfast::runtime
