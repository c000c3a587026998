#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "admin/admin_handler.hpp"
#include "net/address.hpp"
#include "net/http_server.hpp"
#include "runtime/instance_registry.hpp"
#include "runtime/loading/admin_config.hpp"
#include "runtime/service_log.hpp"

namespace holdfast::runtime {

/// The dependencies of the admin side.
struct AdminSideDeps {
    std::vector<net::OwningLoop> loops = {};
    std::shared_ptr<dispatch::Gateway> gateway = {};
    std::shared_ptr<telemetry::Recording> recording = {};
    const ServiceLog& log;  ///< Must outlive the admin side.
    std::function<void(admin::ControlDone)> reload = {};
    std::shared_ptr<const admin::EntryProblems> problems = {};
    std::string config_file = {};
    double clock_rate = 1;
    bool allows_insecure_http = false;
    /// Whether a process descends from the guardian, or may do so.
    std::function<bool(pid_t)> is_own_child = {};
};

/// The admin side of a run: the built-in items for agents, the listener for people and tools, and
/// the file by which commands find the gateway.
///
/// Thread-safety: none; used before the loops run, and destroyed afterwards.
class AdminSide final {
public:
    AdminSide(AdminConfig config, AdminSideDeps parts);

    /// The items that the gateway offers.
    [[nodiscard]] admin::AgentItems agent_items() const;
    /// Listens on a Unix socket and, `with_http`, on an address. False if an address that the
    /// config names is unavailable and `needs_page`. Logs what is unavailable.
    [[nodiscard]] bool listen(bool with_http, bool needs_page);
    /// Another config is in use: further requests need its token. Nothing else is changed.
    void change(const AdminConfig& config);
    /// Publishes the address of this gateway for commands. `mcp` is where agents connect.
    void announce(const std::string& mcp);

private:
    [[nodiscard]] bool listen_on_http(bool needs_page);
    /// Why the page has no listener, with the gateway that uses its address.
    [[nodiscard]] std::string why_unavailable(const net::Address& address,
                                              const net::NetError& error) const;
    [[nodiscard]] admin::AdminGateOptions http_gate(const std::string& token) const;
    void listen_on_socket();
    [[nodiscard]] net::NetResult<std::unique_ptr<net::HttpServer>> server_at(
        const net::HttpServerOptions& place,
        const std::shared_ptr<admin::AdminHandler>& handler) const;
    [[nodiscard]] std::shared_ptr<admin::AdminHandler> handler_with(
        admin::AdminGateOptions gate) const {
        return std::make_shared<admin::AdminHandler>(admin_, std::move(gate));
    }

    const AdminConfig config_;
    const AdminSideDeps parts_;
    const admin::AdminDeps admin_;
    const std::string folder_;
    Instance instance_;
    InstanceFile file_;
    std::shared_ptr<admin::AdminHandler> http_handler_;  // null without an HTTP listener
    bool is_http_loopback_ = true;
    std::vector<std::unique_ptr<net::HttpServer>> servers_;
};

}  // namespace holdfast::runtime
