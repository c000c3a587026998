#include "runtime/admin_side.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "net/address.hpp"
#include "platform/environment.hpp"
#include "platform/user_folders.hpp"
#include "platform/wall_clock.hpp"
#include "runtime/version.hpp"

namespace holdfast::runtime {
namespace {

/// Few clients read a gateway at once, and they send very little.
constexpr std::size_t kMaxConnections = 200;
constexpr std::size_t kMaxBodyBytes = 65'536;

admin::AdminDeps admin_parts(const AdminSideDeps& parts) {
    const admin::GatewayContext facts{.version = std::string{build_identity().version},
                                      .pid = ::getpid(),
                                      .config_file = parts.config_file,
                                      .clock_rate = parts.clock_rate,
                                      .started_ms = platform::wall_clock_ms()};
    return {.status = std::make_shared<const admin::StatusReader>(
                admin::StatusSources{.gateway = parts.gateway,
                                     .recording = parts.recording,
                                     .now_ms = platform::wall_clock_ms,
                                     .facts = facts,
                                     .started = parts.loops.front().timekeeper->now(),
                                     .problems = parts.problems,
                                     .buffers = parts.loops.front().buffers}),
            .control = std::make_shared<const admin::Control>(admin::ControlDeps{
                .gateway = parts.gateway, .recorder = parts.recording, .reload = parts.reload})};
}

}  // namespace

AdminSide::AdminSide(AdminConfig config, AdminSideDeps parts)
    : config_(std::move(config)),
      parts_(std::move(parts)),
      admin_(admin_parts(parts_)),
      folder_(platform::user_folders(platform::environment_variable).runtime),
      instance_{
          .pid = ::getpid(), .started = process_start_of(::getpid()), .config = parts_.config_file},
      file_(folder_) {}

admin::AgentItems AdminSide::agent_items() const {
    return admin::agent_items(admin_.status, config_.agents);
}

bool AdminSide::listen(bool with_http, bool needs_page) {
    if (!config_.is_on) {
        return true;
    }
    listen_on_socket();
    return !(with_http || !config_.http.empty()) || listen_on_http(needs_page);
}

net::NetResult<std::unique_ptr<net::HttpServer>> AdminSide::server_at(
    const net::HttpServerOptions& place,
    const std::shared_ptr<admin::AdminHandler>& handler) const {
    net::HttpServerOptions options = place;
    options.max_connections = kMaxConnections;
    options.max_body_bytes = kMaxBodyBytes;
    return net::HttpServer::listen(parts_.loops, options, handler);
}

// Without the socket, commands do not find this gateway; everything else works.
void AdminSide::listen_on_socket() {
    if (const auto fault = prepare_private_folder(folder_)) {
        parts_.log.status_unavailable(fault->message);
        return;
    }
    const std::string path = folder_ + "/" + std::to_string(instance_.pid) + ".sock";
    auto server =
        server_at({.socket_path = path},
                  handler_with({.only_user = ::geteuid(), .is_own_child = parts_.is_own_child}));
    if (!server) {
        parts_.log.status_unavailable(server.error().message);
        return;
    }
    instance_.socket = path;
    servers_.push_back(std::move(*server));
}

std::string AdminSide::why_unavailable(const net::Address& address,
                                       const net::NetError& error) const {
    if (error.system_code != EADDRINUSE) {
        return error.message;
    }
    const std::string text = address.text();
    for (const Instance& other : running_instances(folder_)) {
        if (other.admin == "http://" + text) {
            return text + " is in use by pid " + std::to_string(other.pid);
        }
    }
    return text + " is in use";
}

bool AdminSide::listen_on_http(bool needs_page) {
    const bool is_default = config_.http.empty();
    const auto address = net::parsed_address(is_default ? kDefaultAdminAddress : config_.http);
    if (!address->is_loopback() && !parts_.allows_insecure_http) {
        parts_.log.listener_insecure(config_.http);
        return false;
    }
    is_http_loopback_ = address->is_loopback();
    auto handler = handler_with(http_gate(config_.token));
    auto server = server_at({.address = address->host, .port = address->port}, handler);
    if (!server && is_default) {
        server = server_at({.address = address->host, .port = 0}, handler);
        if (server) {
            parts_.log.status_page_moved(kDefaultAdminAddress);
        }
    }
    if (!server && !needs_page) {
        parts_.log.status_page_not_started(why_unavailable(*address, server.error()));
        return true;
    }
    if (!server) {
        parts_.log.status_page_failed(server.error().message);
        return false;
    }
    const net::Address bound{.host = address->host, .port = (*server)->port()};
    instance_.admin = "http://" + bound.text();
    parts_.log.status_page(instance_.admin + "/ui/");
    servers_.push_back(std::move(*server));
    http_handler_ = std::move(handler);
    return true;
}

admin::AdminGateOptions AdminSide::http_gate(const std::string& token) const {
    return {.is_loopback = is_http_loopback_, .token = token, .only_user = ::geteuid()};
}

void AdminSide::change(const AdminConfig& config) {
    if (http_handler_) {
        http_handler_->set_gate(http_gate(config.token));
    }
}

void AdminSide::announce(const std::string& mcp) {
    instance_.mcp = mcp;
    if (instance_.socket.empty()) {
        return;
    }
    if (const auto fault = file_.write(instance_)) {
        parts_.log.status_unavailable(fault->message);
    }
}

}  // namespace holdfast::runtime
